package extjson

import (
	"encoding/base64"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// unwrap looks at the object that was just read to p.dst[start:], and puts the value
// in its place if it stands for one. What does not is left as it is.
func (p *parser) unwrap(start int, in parent) bsoncore.Type {
	var keys [3]string
	var values [3]bsoncore.Value
	n := 0
	for k, v := range op.Fields(p.dst[start:]) {
		if n == len(keys) {
			return bsoncore.TypeEmbeddedDocument
		}
		keys[n], values[n] = k, v
		n++
	}
	// built apart: the strings of the object lie where it goes
	p.scratch = p.scratch[:0]
	t := bsoncore.TypeEmbeddedDocument
	switch n {
	case 1:
		t = p.single(keys[0], values[0])
	case 2:
		t = p.double(keys, values, in)
	}
	if t != bsoncore.TypeEmbeddedDocument {
		p.dst = append(p.dst[:start], p.scratch...)
	}
	return t
}

// single reads {"$oid": …} and its like.
func (p *parser) single(key string, v bsoncore.Value) bsoncore.Type {
	s, isText := op.Str(v), v.Type == bsoncore.TypeString
	switch key {
	case "$oid":
		if isText && len(s) == 24 && p.hex(s) {
			return bsoncore.TypeObjectID
		}
	case "$date":
		ms, ok := op.Int(v)
		if isText {
			ms, ok = Date(s)
		}
		if ok {
			p.scratch = bsoncore.AppendDateTime(p.scratch, ms)
			return bsoncore.TypeDateTime
		}
	case "$uuid":
		if hex := strings.ReplaceAll(s, "-", ""); isText && len(hex) == 32 {
			p.scratch = append(bsoncore.AppendInt32(p.scratch, 16), 4)
			if p.hex(hex) {
				return bsoncore.TypeBinary
			}
		}
	case "$binary":
		d := op.Doc(v)
		return p.binary(op.Get(d, "base64"), op.Get(d, "subType"))
	case "$timestamp":
		return p.timestamp(op.Doc(v))
	case "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal":
		return p.numeric(key, v)
	case "$regularExpression":
		d := op.Doc(v)
		return p.regex(op.Get(d, "pattern"), op.Get(d, "options"))
	case "$undefined":
		if v.Type == bsoncore.TypeBoolean {
			return bsoncore.TypeUndefined
		}
	case "$minKey":
		return bsoncore.TypeMinKey
	case "$maxKey":
		return bsoncore.TypeMaxKey
	case "$symbol":
		if isText {
			p.scratch = append(p.scratch, v.Data...)
			return bsoncore.TypeSymbol
		}
	case "$code":
		if isText {
			p.scratch = append(p.scratch, v.Data...)
			return bsoncore.TypeJavaScript
		}
	}
	return bsoncore.TypeEmbeddedDocument
}

// double reads what has two keys in version 1. {"$regex": …, "$options": …} is an
// operator where one can stand, and read alike there.
func (p *parser) double(keys [3]string, v [3]bsoncore.Value, in parent) bsoncore.Type {
	switch {
	case keys[0] == "$binary" && keys[1] == "$type":
		return p.binary(v[0], v[1])
	case keys[0] == "$type" && keys[1] == "$binary":
		return p.binary(v[1], v[0])
	case !in.array && in.key != "regex":
	case keys[0] == "$regex" && keys[1] == "$options":
		return p.regex(v[0], v[1])
	case keys[0] == "$options" && keys[1] == "$regex":
		return p.regex(v[1], v[0])
	}
	return bsoncore.TypeEmbeddedDocument
}

// hex appends bytes.
func (p *parser) hex(s string) bool {
	for i := 0; i+1 < len(s); i += 2 {
		high, ok1 := hexDigit(s[i])
		low, ok2 := hexDigit(s[i+1])
		if !ok1 || !ok2 {
			return false
		}
		p.scratch = append(p.scratch, high<<4|low)
	}
	return true
}

func (p *parser) binary(data, subtype bsoncore.Value) bsoncore.Type {
	kind, ok := op.Int(subtype)
	if s := op.Str(subtype); s != "" {
		n, err := strconv.ParseUint(s, 16, 8)
		kind, ok = int64(n), err == nil
	}
	if !ok || kind < 0 || kind > 255 || data.Type != bsoncore.TypeString {
		return bsoncore.TypeEmbeddedDocument
	}
	text := strings.TrimRight(op.Str(data), "=")
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		if raw, err = base64.RawURLEncoding.DecodeString(text); err != nil {
			return bsoncore.TypeEmbeddedDocument
		}
	}
	p.scratch = append(bsoncore.AppendInt32(p.scratch, int32(len(raw))), byte(kind))
	p.scratch = append(p.scratch, raw...)
	return bsoncore.TypeBinary
}

func (p *parser) timestamp(d bsoncore.Document) bsoncore.Type {
	t, ok1 := op.Int(op.Get(d, "t"))
	i, ok2 := op.Int(op.Get(d, "i"))
	if !ok1 || !ok2 {
		return bsoncore.TypeEmbeddedDocument
	}
	p.scratch = bsoncore.AppendTimestamp(p.scratch, uint32(t), uint32(i))
	return bsoncore.TypeTimestamp
}

func (p *parser) numeric(key string, v bsoncore.Value) bsoncore.Type {
	s := op.Str(v)
	if len(s) > maxNumber {
		return bsoncore.TypeEmbeddedDocument
	}
	n, whole := op.Int(v)
	if s != "" {
		var err error
		n, err = strconv.ParseInt(s, 10, 64)
		whole = err == nil
	}
	switch {
	case key == "$numberInt" && whole && n == int64(int32(n)):
		p.scratch = bsoncore.AppendInt32(p.scratch, int32(n))
		return bsoncore.TypeInt32
	case key == "$numberLong" && whole:
		p.scratch = bsoncore.AppendInt64(p.scratch, n)
		return bsoncore.TypeInt64
	case key == "$numberDouble":
		f, ok := v.AsFloat64OK()
		if s != "" {
			var err error
			f, err = strconv.ParseFloat(s, 64)
			ok = err == nil
		}
		if ok {
			p.scratch = bsoncore.AppendDouble(p.scratch, f)
			return bsoncore.TypeDouble
		}
	case key == "$numberDecimal" && s != "":
		if d, err := bson.ParseDecimal128(s); err == nil {
			high, low := d.GetBytes()
			p.scratch = bsoncore.AppendDecimal128(p.scratch, high, low)
			return bsoncore.TypeDecimal128
		}
	}
	return bsoncore.TypeEmbeddedDocument
}

// regex builds a regular expression, whose parts end with a zero byte.
func (p *parser) regex(pattern, options bsoncore.Value) bsoncore.Type {
	a, b := op.Str(pattern), op.Str(options)
	if pattern.Type != bsoncore.TypeString || options.Type != bsoncore.TypeString || strings.IndexByte(a, 0) >= 0 || strings.IndexByte(b, 0) >= 0 {
		return bsoncore.TypeEmbeddedDocument
	}
	p.scratch = bsoncore.AppendRegex(p.scratch, a, b)
	return bsoncore.TypeRegex
}
