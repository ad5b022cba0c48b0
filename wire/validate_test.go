package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

func le32(n int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

func cat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func bsonString(s string) []byte { return cat(le32(int32(len(s)+1)), []byte(s), []byte{0}) }

// everyType is a document with a value of each type there ever was.
func everyType() []byte {
	code := bsonString("f()")
	scope := numbered("x", 1)
	return rawDoc(cat(
		rawElement(typeDouble, "double", make([]byte, 8)...),
		rawElement(typeString, "string", bsonString("aäa")...),
		rawElement(typeDocument, "document", numbered("n", 1)...),
		rawElement(typeArray, "array", rawDoc(rawElement(typeNull, "0")...)...),
		rawElement(typeBinary, "binary", cat(le32(3), []byte{0, 1, 2, 3})...),
		rawElement(typeBinary, "binary2", cat(le32(7), []byte{2}, le32(3), []byte{1, 2, 3})...),
		rawElement(typeBinary, "empty", cat(le32(0), []byte{0})...),
		rawElement(typeUndefined, "undefined"),
		rawElement(typeObjectID, "_id", make([]byte, 12)...),
		rawElement(typeBool, "false", 0),
		rawElement(typeBool, "true", 1),
		rawElement(typeDate, "date", make([]byte, 8)...),
		rawElement(typeNull, ""),
		rawElement(typeRegex, "regex", []byte("^a\x00i\x00")...),
		rawElement(typeDBPointer, "pointer", cat(bsonString("a.b"), make([]byte, 12))...),
		rawElement(typeCode, "code", code...),
		rawElement(typeSymbol, "symbol", code...),
		rawElement(typeCodeScope, "scope", cat(le32(int32(4+len(code)+len(scope))), code, scope)...),
		rawElement(typeInt32, "int32", le32(1)...),
		rawElement(typeTimestamp, "timestamp", make([]byte, 8)...),
		rawElement(typeInt64, "int64", make([]byte, 8)...),
		rawElement(typeDecimal128, "decimal", make([]byte, 16)...),
		rawElement(typeMinKey, "min"),
		rawElement(typeMaxKey, "max"),
	)...)
}

func codeScopeValue(size int32, code, scope []byte) []byte { return cat(le32(size), code, scope) }

// W-18 and every way a value can lie about itself.
func TestValidate(t *testing.T) {
	good := numbered("a", 1)
	withLength := func(n int) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint32(b, uint32(n))
		return b
	}
	element := func(kind byte, value ...byte) []byte { return rawDoc(rawElement(kind, "k", value...)...) }
	code, scope := bsonString("f()"), numbered("x", 1)
	fit := int32(4 + len(code) + len(scope))

	for _, c := range []struct {
		name string
		doc  []byte
		want error
	}{
		{"empty document", rawDoc(), nil},
		{"every type", everyType(), nil},
		{"duplicate names", rawDoc(cat(rawElement(typeNull, "a"), rawElement(typeNull, "a"))...), nil},
		{"array not numbered", element(typeArray, numbered("x", 1)...), nil},
		{"string with NUL inside", element(typeString, cat(le32(4), []byte("a\x00b\x00"))...), nil},
		{"string not UTF-8", element(typeString, bsonString("\xff\xfe")...), nil},

		{"no bytes", nil, ErrMalformed},
		{"four bytes", []byte{4, 0, 0, 0}, ErrMalformed},
		{"length 0", withLength(0), ErrMalformed},
		{"length 4", withLength(4), ErrMalformed},
		{"length -1", withLength(-1), ErrMalformed},
		{"length +50", withLength(len(good) + 50), ErrMalformed},
		{"length one less", withLength(len(good) - 1), ErrMalformed},
		{"length one more", withLength(len(good) + 1), ErrMalformed},
		{"smallest int32 as length", withLength(-1 << 31), ErrMalformed},
		{"missing terminator", append(bytes.Clone(good[:len(good)-1]), 1), ErrMalformed},
		{"bytes after the document", append(rawDoc(), 0), ErrMalformed},
		{"early terminator", rawDoc(0, typeNull, 'a', 0), ErrMalformed},
		{"type 0x55", element(0x55), ErrMalformed},
		{"type 0x14", element(0x14), ErrMalformed},
		{"type 0x80", element(0x80), ErrMalformed},
		{"name without end", rawDoc(typeNull, 'a', 'b'), ErrMalformed},
		{"type and nothing else", rawDoc(typeNull), ErrMalformed},
		{"double too short", element(typeDouble, 1, 2, 3, 4, 5, 6, 7), ErrMalformed},
		{"int32 too short", element(typeInt32, 1, 2, 3), ErrMalformed},
		{"no boolean", element(typeBool), ErrMalformed},
		{"boolean 2", element(typeBool, 2), ErrMalformed},
		{"string length 0", element(typeString, cat(le32(0), []byte{0})...), ErrMalformed},
		{"string length 0x7fffffff", element(typeString, cat(le32(0x7fffffff), []byte("a\x00"))...), ErrMalformed},
		{"string length -1", element(typeString, cat(le32(-1), []byte("a\x00"))...), ErrMalformed},
		{"string into the terminator", element(typeString, cat(le32(3), []byte("a\x00"))...), ErrMalformed},
		{"string not terminated", element(typeString, cat(le32(2), []byte("ab"))...), ErrMalformed},
		{"string length cut", element(typeString, 1, 0), ErrMalformed},
		{"document length 4", element(typeDocument, 4, 0, 0, 0, 0), ErrMalformed},
		{"document longer than its parent", element(typeDocument, cat(le32(6), []byte{0})...), ErrMalformed},
		{"document into the terminator", rawDoc(rawElement(typeDocument, "k", cat(le32(5))...)...), ErrMalformed},
		{"document not terminated", element(typeDocument, cat(le32(5), []byte{1})...), ErrMalformed},
		{"document shorter than its elements", element(typeDocument, cat(le32(7), rawElement(typeInt32, "", 0, 0, 0, 0), []byte{0})...), ErrMalformed},
		{"binary length -1", element(typeBinary, cat(le32(-1), []byte{0})...), ErrMalformed},
		{"binary too long", element(typeBinary, cat(le32(2), []byte{0, 1})...), ErrMalformed},
		{"binary subtype 2 without length", element(typeBinary, cat(le32(3), []byte{2, 1, 2, 3})...), ErrMalformed},
		{"binary subtype 2 inner length", element(typeBinary, cat(le32(7), []byte{2}, le32(4), []byte{1, 2, 3})...), ErrMalformed},
		{"regex without options", rawDoc(typeRegex, 'k', 0, 'a'), ErrMalformed},
		{"regex ended by its document", rawDoc(typeRegex, 'k', 0, 'a', 0), ErrMalformed},
		{"pointer without id", element(typeDBPointer, bsonString("a.b")...), ErrMalformed},
		{"code with scope, one too long", element(typeCodeScope, append(codeScopeValue(fit+1, code, scope), 0)...), ErrMalformed},
		{"code with scope, one too short", element(typeCodeScope, codeScopeValue(fit-1, code, scope)...), ErrMalformed},
		{"code with scope, negative", element(typeCodeScope, codeScopeValue(-1, code, scope)...), ErrMalformed},
		{"code with scope, no scope", element(typeCodeScope, cat(le32(14), bsonString("abcdef"))...), ErrMalformed},
		{"code with bad scope", element(typeCodeScope, codeScopeValue(int32(4+len(code)+8), code, element(0x55))...), ErrMalformed},

		{"deepest", nested(MaxDepth), nil},
		{"too deep", nested(MaxDepth + 1), ErrDepth},
		{"most elements", rawDoc(bytes.Repeat([]byte{typeNull, 0}, MaxElements)...), nil},
		{"too many elements", rawDoc(bytes.Repeat([]byte{typeNull, 0}, MaxElements+1)...), ErrElements},
	} {
		if err := Validate(c.doc); !errors.Is(err, c.want) || (c.want == nil && err != nil) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// Scopes of code count as levels like any document.
func TestScopeDepth(t *testing.T) {
	doc := rawDoc()
	for range MaxDepth {
		code := bsonString("")
		doc = rawDoc(rawElement(typeCodeScope, "", codeScopeValue(int32(4+len(code)+len(doc)), code, doc)...)...)
	}
	if err := Validate(doc); err != nil {
		t.Errorf("%d levels: %v", MaxDepth, err)
	}
	if err := Validate(rawDoc(rawElement(typeDocument, "", doc...)...)); !errors.Is(err, ErrDepth) {
		t.Errorf("one level more: %v", err)
	}
}

// Two million levels in 16 MB: the end of a process whose reader recurses.
func TestHostileDepth(t *testing.T) {
	doc := nested(2_000_000)
	if len(doc) != 16_000_005 {
		t.Fatalf("%d bytes", len(doc))
	}
	var err error
	if n := testing.AllocsPerRun(10, func() { err = Validate(doc) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if !errors.Is(err, ErrDepth) {
		t.Errorf("%v, want %v", err, ErrDepth)
	}
	if _, err := DecodeMsg(whole(t, packet(OpMsg, msgBody(0, kind0(doc))))); Reason(err) != "depth" {
		t.Errorf("as a message: %v", err)
	}
}

func TestValidateAllocatesNothing(t *testing.T) {
	good, bad := everyType(), everyType()
	bad[len(bad)-3] = 'x' // the last name no longer ends
	for _, doc := range [][]byte{good, bad} {
		if n := testing.AllocsPerRun(100, func() { _ = Validate(doc) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// Every document cut short or with one byte changed is judged without a panic, and what is accepted can be read.
func TestValidateMutations(t *testing.T) {
	doc := everyType()
	for i := range doc {
		if Validate(doc[:i]) == nil {
			t.Errorf("accepted the first %d of %d bytes", i, len(doc))
		}
		for _, b := range []byte{0, 1, 2, 3, 5, 0x0f, 0x7f, 0x80, 0xff, doc[i] + 1, doc[i] - 1} {
			mutant := bytes.Clone(doc)
			mutant[i] = b
			checkAccepted(t, mutant)
		}
	}
}

// checkAccepted holds Validate against readers it shares no code with: what it accepts they must be able to read to the end.
func checkAccepted(t *testing.T, doc []byte) {
	t.Helper()
	if Validate(doc) != nil {
		return
	}
	if err := readDeep(doc); err != nil {
		t.Fatalf("accepted what bsoncore cannot read: %v\n%x", err, doc)
	}
	if _, err := bson.MarshalExtJSON(bson.Raw(doc), true, false); err != nil {
		t.Fatalf("accepted what has no Extended JSON: %v\n%x", err, doc)
	}
}

// readDeep reads every element at every level with bsoncore. It recurses: only for documents of limited depth.
func readDeep(doc bsoncore.Document) error {
	elements, err := doc.Elements()
	if err != nil {
		return err
	}
	for _, e := range elements {
		if err := e.Validate(); err != nil {
			return err
		}
		v := e.Value()
		switch v.Type {
		case bsoncore.TypeEmbeddedDocument:
			err = readDeep(v.Document())
		case bsoncore.TypeArray:
			err = readDeep(bsoncore.Document(v.Array()))
		case bsoncore.TypeCodeWithScope:
			_, scope := v.CodeWithScope()
			err = readDeep(scope)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
