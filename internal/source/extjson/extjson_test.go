package extjson_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/extjson"
)

func parse(t testing.TB, text string) bsoncore.Document {
	t.Helper()
	out, n, err := extjson.Append(nil, []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if n != len(text) {
		t.Errorf("%s: took %d of %d bytes", text, n, len(text))
	}
	return out
}

// What the driver reads, in both versions, is read alike.
func TestAsTheDriverReadsIt(t *testing.T) {
	for _, text := range []string{
		`{}`,
		`{"a":1,"b":-2147483648,"c":2147483648,"d":9223372036854775807,"e":1.5,"f":1e3,"g":-0.0,"h":0}`,
		`{"a":{"$numberInt":"5"},"b":{"$numberLong":"5"},"c":{"$numberDouble":"5"},"d":{"$numberDouble":"-Infinity"},"e":{"$numberDecimal":"1.50"}}`,
		`{"a":{"$oid":"0123456789abcdef01234567"},"b":{"$date":"2024-01-02T00:00:00.123Z"},"c":{"$date":{"$numberLong":"-1"}},"d":{"$date":"2012-12-24T12:15:30.501+01:00"}}`,
		`{"a":{"$binary":{"base64":"AQID","subType":"00"}},"b":{"$binary":{"base64":"GoQjkzn1Rz2IDmoXhoVQUQ==","subType":"04"}},"c":{"$binary":"AQID","$type":"5"}}`,
		`{"a":{"$uuid":"1a842393-39f5-473d-880e-6a1786855051"},"b":{"$timestamp":{"t":4294967295,"i":2}}}`,
		`{"a":{"$regularExpression":{"pattern":"^a\"b\\c/d","options":"i"}},"b":{"$minKey":1},"c":{"$maxKey":1},"d":{"$undefined":true}}`,
		`{"a":{"$symbol":"x"},"b":{"$code":"f()"},"s":"caf\u00e9 \"q\" \\ \n\u2028 \ud83d\ude00 é","n":null,"t":true,"f":false}`,
		`{ "a" : [ 1 , [ ] , { } , [ { "b" : [ "x" ] } ] ] , "a.b" : { "" : 1 } }`,
		`{"p":[{"$match":{"a":{"$gte":1,"$lt":{"$numberLong":"7"}}}},{"$project":{"_id":0}}]}`,
	} {
		var want bson.D
		if err := bson.UnmarshalExtJSON([]byte(text), false, &want); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		raw, err := bson.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := parse(t, text); !bytes.Equal(got, raw) {
			t.Errorf("%s:\n got %x\nwant %x", text, got, raw)
		}
	}
}

// Order and repeated keys stay, which a map would lose.
func TestOrderAndRepeatedKeys(t *testing.T) {
	var got []string
	for k, v := range op.Fields(parse(t, `{"b":1,"a":2,"b":3}`)) {
		n, _ := op.Int(v)
		got = append(got, fmt.Sprint(k, n))
	}
	if fmt.Sprint(got) != "[b1 a2 b3]" {
		t.Error(got)
	}
}

func TestLenient(t *testing.T) {
	for _, c := range []struct {
		text string
		want bsoncore.Type
	}{
		{`{"$oid":"nope"}`, bsoncore.TypeEmbeddedDocument},
		{`{"$date":"yesterday"}`, bsoncore.TypeEmbeddedDocument},
		{`{"$oid":"###"}`, bsoncore.TypeEmbeddedDocument},
		{`{"$date":"###"}`, bsoncore.TypeEmbeddedDocument},
		{`{"$gt":1}`, bsoncore.TypeEmbeddedDocument},
		{`{"$unheardOf":1}`, bsoncore.TypeEmbeddedDocument},
		{`{"$numberLong":"x"}`, bsoncore.TypeEmbeddedDocument},
		{`{"$regex":"^a","$options":"i"}`, bsoncore.TypeEmbeddedDocument},
		{`{"$date":1704153600000}`, bsoncore.TypeDateTime},
		{`{"$date":"2024-01-02T00:00:00+0100"}`, bsoncore.TypeDateTime},
		{`{"$type":"04","$binary":"GoQjkzn1Rz2IDmoXhoVQUQ=="}`, bsoncore.TypeBinary},
		{`{"$numberDouble":1}`, bsoncore.TypeDouble},
		{`"###"`, bsoncore.TypeString},
		{`NaN`, bsoncore.TypeDouble},
		{`-Infinity`, bsoncore.TypeDouble},
		{`1e999`, bsoncore.TypeDouble},
		{`123456789012345678901234567890`, bsoncore.TypeDouble},
		{"\"raw \u2028 \xff\x01\"", bsoncore.TypeString},
		{`"\ud83d alone"`, bsoncore.TypeString},
	} {
		if got := op.Get(parse(t, `{"v":`+c.text+`}`), "v").Type; got != c.want {
			t.Errorf("%s is read as %s, want %s", c.text, got, c.want)
		}
	}
}

// In a list, and as the operand of $regexMatch, version 1 means a literal: the
// operator cannot stand there.
func TestRegexOfVersion1(t *testing.T) {
	doc := parse(t, `{"in":[{"$regex":"a","$options":"i"}],"m":{"input":"$a","regex":{"$options":"","$regex":"b"}}}`)
	for item := range op.Items(op.Arr(op.Get(doc, "in"))) {
		if item.Type != bsoncore.TypeRegex {
			t.Errorf("in a list it is %s", item.Type)
		}
	}
	if got := op.Get(op.Doc(op.Get(doc, "m")), "regex"); got.Type != bsoncore.TypeRegex {
		t.Errorf("as an operand it is %s", got.Type)
	}
}

func TestErrors(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 201) + "1" + strings.Repeat("}", 201)
	for text, want := range map[string]string{
		``:                                     extjson.Unfinished,
		`  `:                                   extjson.Unfinished,
		`[1]`:                                  extjson.NotObject,
		`{"a":1`:                               extjson.Unfinished,
		`{"a"`:                                 extjson.Unfinished,
		`{"secret`:                             extjson.Unfinished,
		`{"a":"secret`:                         extjson.Unfinished,
		`{"a":tru`:                             extjson.Unfinished,
		`{"a":secret}`:                         extjson.Unexpected,
		`{"a":1,}`:                             extjson.Unexpected,
		`{"a" 1}`:                              extjson.Unexpected,
		`{"a":"\x"}`:                           extjson.BadEscape,
		`{"a":"\u12g4"}`:                       extjson.BadEscape,
		`{"a\u0000b":1}`:                       extjson.BadKey,
		`{"a":1-2}`:                            extjson.BadNumber,
		deep:                                   extjson.TooDeep,
		`{"a":` + strings.Repeat("[", 1000000): extjson.TooDeep,
		`{"a":[` + strings.Repeat("1,", extjson.MaxElements+1): extjson.TooManyKeys,
	} {
		_, _, err := extjson.Append(nil, []byte(text))
		var e *extjson.Error
		if !errors.As(err, &e) || e.Reason != want || e.Offset < 0 || e.Offset > len(text) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
			continue
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells what stands there: %v", err)
		}
	}
}

// What the caller has is kept, and what follows is left.
func TestAppendsAndStops(t *testing.T) {
	out, n, err := extjson.Append([]byte("before"), []byte(` {"a":1} {"b":2}`))
	if err != nil || n != 8 || !strings.HasPrefix(string(out), "before") {
		t.Fatal(n, err)
	}
	if got, _ := op.Int(op.Get(bsoncore.Document(out[6:]), "a")); got != 1 {
		t.Error(got)
	}
}

func TestDate(t *testing.T) {
	for s, want := range map[string]int64{
		"1970-01-01T00:00:00.000Z": 0, "1970-01-01T00:00:00": 0, "1970-01-01T01:00:00+01:00": 0, "1969-12-31T19:00:00.5-0500": 500,
		"2026-12-01T00:04:08.621+00:00": 1796083448621, "1970-01-01T00:00:00.123456789Z": 123,
	} {
		if got, ok := extjson.Date(s); !ok || got != want {
			t.Errorf("%s: %d %v, want %d", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "1970-01-01", "1970-13-01T00:00:00Z", "1970-01-01T00:00:00X", "197x-01-01T00:00:00Z", "1970-01-01T00:00:00+1"} {
		if _, ok := extjson.Date(s); ok {
			t.Errorf("%s is a date", s)
		}
	}
}

func FuzzAppend(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":[1,2.5,{"$oid":"0123456789abcdef01234567"}],"b":{"$regex":"a","$options":"i"}}`, `{"a":{"$date":{"$numberLong":"5"}}}`,
		`{"$binary":{"base64":"AQ==","subType":"0"}}`, `{"a":"\u0000\ud83d\ude00"}`, `{"a":{"$numberDecimal":"1E+5"},"t":{"$timestamp":{"t":1,"i":2}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		kept := bytes.Clone(src)
		out, n, err := extjson.Append(nil, src)
		if !bytes.Equal(kept, src) {
			t.Fatal("the input was written to")
		}
		if err != nil {
			return
		}
		if n > len(src) {
			t.Fatalf("took %d of %d bytes", n, len(src))
		}
		if err := bsoncore.Document(out).Validate(); err != nil {
			t.Fatal(err)
		}
		again, _, err := extjson.Append(make([]byte, 3, 8), src)
		if err != nil || !bytes.Equal(again[3:], out) {
			t.Fatal("two ways to read it")
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	line := []byte(`{"t":{"$date":"2026-12-01T00:04:08.714+00:00"},"s":"I",  "c":"COMMAND",  "id":51803,   "ctx":"conn133","msg":"Slow query","attr":{"type":"command","ns":"slowlab.t","appName":"cases-lab","command":{"find":"t","filter":{"s":{"$in":[{"$regularExpression":{"pattern":"^abc","options":""}},{"$regularExpression":{"pattern":"zz00","options":""}}]}},"sort":{"n":-1},"limit":5,"lsid":{"id":{"$uuid":"1a842393-39f5-473d-880e-6a1786855051"}},"$db":"slowlab"},"planSummary":"IXSCAN { s: 1 }","keysExamined":2000,"docsExamined":290,"hasSortStage":true,"cursorExhausted":true,"numYields":2,"nreturned":5,"queryHash":"0FBCDE83","planCacheKey":"693A3DF6","queryFramework":"classic","reslen":468,"locks":{"FeatureCompatibilityVersion":{"acquireCount":{"r":1}},"Global":{"acquireCount":{"r":1}},"Mutex":{"acquireCount":{"r":1}}},"storage":{},"remote":"127.0.0.1:50856","protocol":"op_msg","durationMillis":1}}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		var err error
		if buf, _, err = extjson.Append(buf[:0], line); err != nil {
			b.Fatal(err)
		}
	}
}
