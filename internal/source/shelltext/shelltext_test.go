package shelltext_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/source/extjson"
	"mongoadvisor/internal/source/shelltext"
)

// What the text log writes is what Extended JSON would be.
func TestAppend(t *testing.T) {
	for shell, json := range map[string]string{
		`{}`:                      `{}`,
		`{ a: 1, b: 1.0, c: -5 }`: `{"a":1,"b":{"$numberDouble":"1"},"c":-5}`,
		`{ find: "x", filter: { a: /re/i, _id: ObjectId('0123456789abcdef01234567'), d: new Date(123) }, $db: "test" }`:                  `{"find":"x","filter":{"a":{"$regularExpression":{"pattern":"re","options":"i"}},"_id":{"$oid":"0123456789abcdef01234567"},"d":{"$date":123}},"$db":"test"}`,
		`{ u: UUID("1a842393-39f5-473d-880e-6a1786855051"), b: BinData(0, E3B0C442), t: Timestamp(1, 2), o: Timestamp 1000000000000|3 }`: `{"u":{"$uuid":"1a842393-39f5-473d-880e-6a1786855051"},"b":{"$binary":{"base64":"47DEQg==","subType":"0"}},"t":{"$timestamp":{"t":1,"i":2}},"o":{"$timestamp":{"t":1000000000,"i":3}}}`,
		`{ s: "a "quoted" word, and more", t: "it's \", n: null }`:                                                                       `{"s":"a \"quoted\" word, and more","t":"it's \\","n":null}`,
		`{ p: "/^a/b/", r: /a/b/c/, x: [ 1, [], {}, true, false ] }`:                                                                     `{"p":"/^a/b/","r":{"$regularExpression":{"pattern":"a/b/c","options":""}},"x":[1,[],{},true,false]}`,
		`{ a.b: { $in: [ "x", "y" ] }, n: NumberLong(5), e: NumberDecimal("1.5"), i: inf, j: -inf, u: undefined, m: MinKey }`:            `{"a.b":{"$in":["x","y"]},"n":{"$numberLong":"5"},"e":{"$numberDecimal":"1.5"},"i":{"$numberDouble":"Infinity"},"j":{"$numberDouble":"-Infinity"},"u":{"$undefined":true},"m":{"$minKey":1}}`,
		`{ "a": 1, 'b': 'x' }`: `{"a":1,"b":"x"}`,
	} {
		got, n, err := shelltext.Append(nil, []byte(shell))
		if err != nil {
			t.Errorf("%s: %v", shell, err)
			continue
		}
		want, _, err := extjson.Append(nil, []byte(json))
		if err != nil {
			t.Fatal(err)
		}
		if n != len(shell) || !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x\nwant %x", shell, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                              shelltext.NotObject,
		`find`:                          shelltext.NotObject,
		`{ ... }`:                       shelltext.Left,
		`{ a: ... }`:                    shelltext.Left,
		`{ a: "secret`:                  shelltext.Unfinished,
		`{ a: /secret`:                  shelltext.Unfinished,
		`{ secret`:                      shelltext.Unfinished,
		`{ a: { b: 1 }`:                 shelltext.Unfinished,
		`{ a: ObjectId('secret') }`:     shelltext.BadValue,
		`{ a: ObjectId('secret`:         shelltext.Unfinished,
		`{ a: BinData(0) }`:             shelltext.BadValue,
		`{ a: Secret(1) }`:              shelltext.BadValue,
		`{ a: secret }`:                 shelltext.Unexpected,
		`{ a: new new Date(1) }`:        shelltext.Unexpected, // a million of them would be as deep
		`{ a: 1 b: 2 }`:                 shelltext.Unexpected,
		`{ a: 1, "secret }: 1 }`:        shelltext.Unfinished,
		`{ a: "x", y" }, b: 1 }`:        shelltext.BadKey,
		strings.Repeat(`{ a: `, 100000): shelltext.TooDeep,
		strings.Repeat(`{ a: [ `, 9000): shelltext.TooDeep,
	} {
		_, _, err := shelltext.Append(nil, []byte(text))
		var e *shelltext.Error
		if !errors.As(err, &e) || e.Reason != want || e.Offset > len(text) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
			continue
		}
		if strings.Contains(strings.ToLower(err.Error()), "secret") {
			t.Errorf("the error tells what stands there: %v", err)
		}
	}
}

func FuzzAppend(f *testing.F) {
	for _, s := range []string{
		`{}`, `{ find: "x", filter: { a: /re/i, _id: ObjectId('0123456789abcdef01234567'), d: new Date(123) }, n: 1.0 }`,
		`{ u: UUID("1a842393-39f5-473d-880e-6a1786855051"), b: BinData(0, E3B0C442), t: Timestamp(1, 2), o: Timestamp 1|3 }`, `{ a: [ 1, "x"y", ... ] }`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, n, err := shelltext.Append(nil, src)
		if err != nil {
			return
		}
		if n > len(src) {
			t.Fatalf("took %d of %d bytes", n, len(src))
		}
		if err := bsoncore.Document(out).Validate(); err != nil {
			t.Fatal(err)
		}
	})
}
