package shelltext

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/source/extjson"
)

func (p *parser) value() (bsoncore.Type, bool) {
	switch c := p.peek(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"' || c == '\'':
		return p.text(c)
	case c == '/':
		return p.regex()
	case c >= '0' && c <= '9' || c == '-' || c == '+':
		return p.number()
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return p.word()
	}
	return 0, p.unexpected()
}

// ends reports whether a value may end at an offset: there is nothing behind it
// but what parts elements or ends containers.
func (p *parser) ends(at int) bool {
	for at < len(p.src) && p.src[at] == ' ' {
		at++
	}
	return at < len(p.src) && (p.src[at] == ',' || p.src[at] == '}' || p.src[at] == ']')
}

// text reads a string to the first quote behind which a value may end.
func (p *parser) text(quote byte) (bsoncore.Type, bool) {
	start := p.pos + 1
	for at := start; ; at++ {
		next := bytes.IndexByte(p.src[at:], quote)
		if next < 0 {
			p.pos = len(p.src)
			return 0, p.fail(Unfinished)
		}
		if at += next; p.ends(at + 1) {
			p.pos = at + 1
			p.string(p.src[start:at])
			return bsoncore.TypeString, true
		}
	}
}

func (p *parser) string(s []byte) {
	p.dst = binary.LittleEndian.AppendUint32(p.dst, uint32(len(s)+1))
	p.dst = append(append(p.dst, s...), 0)
}

// regex reads /pattern/options to the first slash behind which a value may end.
func (p *parser) regex() (bsoncore.Type, bool) {
	start := p.pos + 1
	for at := start; ; at++ {
		next := bytes.IndexByte(p.src[at:], '/')
		if next < 0 {
			p.pos = len(p.src)
			return 0, p.fail(Unfinished)
		}
		at += next
		end := at + 1
		for end < len(p.src) && strings.IndexByte("imsxlu", p.src[end]) >= 0 {
			end++
		}
		if !p.ends(end) {
			continue
		}
		pattern := p.src[start:at]
		if bytes.IndexByte(pattern, 0) >= 0 {
			return 0, p.fail(BadValue)
		}
		p.dst = bsoncore.AppendRegex(p.dst, string(pattern), string(p.src[at+1:end]))
		p.pos = end
		return bsoncore.TypeRegex, true
	}
}

// maxNumber is the longest number that is read, in bytes.
const maxNumber = 400

func (p *parser) number() (bsoncore.Type, bool) {
	end := p.pos
	for end < len(p.src) && strings.IndexByte("0123456789+-.eEinfaN", p.src[end]) >= 0 {
		end++
	}
	if end-p.pos > maxNumber {
		return 0, p.fail(BadValue)
	}
	t, ok := p.numeric(string(p.src[p.pos:end]), false)
	if ok {
		p.pos = end
	}
	return t, ok
}

// numeric appends a number: an integer when it has neither point nor exponent, of
// 32 bits if it fits and is not said to be long.
func (p *parser) numeric(s string, long bool) (bsoncore.Type, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		if !long && n == int64(int32(n)) {
			p.dst = bsoncore.AppendInt32(p.dst, int32(n))
			return bsoncore.TypeInt32, true
		}
		p.dst = bsoncore.AppendInt64(p.dst, n)
		return bsoncore.TypeInt64, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, p.fail(BadValue)
	}
	p.dst = bsoncore.AppendDouble(p.dst, f)
	return bsoncore.TypeDouble, true
}

// word reads what begins with a letter: a constant or a call.
func (p *parser) word() (bsoncore.Type, bool) {
	w := p.letters()
	if w == "new" {
		p.space()
		w = p.letters()
	}
	switch w {
	case "true", "false":
		p.dst = bsoncore.AppendBoolean(p.dst, w == "true")
		return bsoncore.TypeBoolean, true
	case "null":
		return bsoncore.TypeNull, true
	case "undefined":
		return bsoncore.TypeUndefined, true
	case "MinKey":
		return bsoncore.TypeMinKey, true
	case "MaxKey":
		return bsoncore.TypeMaxKey, true
	case "inf", "nan", "Infinity", "NaN":
		return p.numeric(w, false)
	}
	if w == "Timestamp" && p.peek() == ' ' { // before 3.6: Timestamp 1000|3
		p.pos++
		start := p.pos
		for p.peek() >= '0' && p.peek() <= '9' || p.peek() == '|' {
			p.pos++
		}
		t, i, _ := strings.Cut(string(p.src[start:p.pos]), "|")
		return p.call(w, []string{t, i})
	}
	if p.peek() != '(' {
		return 0, p.unexpected()
	}
	end := bytes.IndexByte(p.src[p.pos:], ')')
	if end < 0 {
		p.pos = len(p.src)
		return 0, p.fail(Unfinished)
	}
	args := strings.Split(string(p.src[p.pos+1:p.pos+end]), ",")
	for i, a := range args {
		args[i] = strings.Trim(a, `'" `)
	}
	p.pos += end + 1
	return p.call(w, args)
}

// letters reads a word.
func (p *parser) letters() string {
	start := p.pos
	for p.pos < len(p.src) && (p.src[p.pos] >= 'a' && p.src[p.pos] <= 'z' || p.src[p.pos] >= 'A' && p.src[p.pos] <= 'Z') {
		p.pos++
	}
	return string(p.src[start:p.pos])
}

// call appends what ObjectId('…') and its like stand for.
func (p *parser) call(name string, args []string) (bsoncore.Type, bool) {
	a := args[0]
	switch name {
	case "ObjectId", "ObjectID":
		if raw, err := hex.DecodeString(a); err == nil && len(raw) == 12 {
			p.dst = append(p.dst, raw...)
			return bsoncore.TypeObjectID, true
		}
	case "Date", "ISODate":
		ms, err := strconv.ParseInt(a, 10, 64)
		ok := err == nil
		if !ok {
			ms, ok = extjson.Date(a)
		}
		if ok {
			p.dst = bsoncore.AppendDateTime(p.dst, ms)
			return bsoncore.TypeDateTime, true
		}
	case "UUID":
		if raw, err := hex.DecodeString(strings.ReplaceAll(a, "-", "")); err == nil {
			p.dst = bsoncore.AppendBinary(p.dst, 4, raw)
			return bsoncore.TypeBinary, true
		}
	case "BinData":
		return p.binary(args)
	case "Timestamp":
		return p.timestamp(args)
	case "NumberInt":
		return p.numeric(a, false)
	case "NumberLong":
		return p.numeric(a, true)
	case "NumberDecimal":
		if d, err := bson.ParseDecimal128(a); err == nil && len(a) <= maxNumber {
			high, low := d.GetBytes()
			p.dst = bsoncore.AppendDecimal128(p.dst, high, low)
			return bsoncore.TypeDecimal128, true
		}
	}
	return 0, p.fail(BadValue)
}

// binary reads the bytes of BinData, which the server wrote in hexadecimal digits
// and a shell writes in base64.
func (p *parser) binary(args []string) (bsoncore.Type, bool) {
	kind, err := strconv.ParseUint(args[0], 10, 8)
	if err != nil || len(args) != 2 {
		return 0, p.fail(BadValue)
	}
	raw, err := hex.DecodeString(args[1])
	if err != nil {
		if raw, err = base64.StdEncoding.DecodeString(args[1]); err != nil {
			return 0, p.fail(BadValue)
		}
	}
	// not AppendBinary: it gives the old subtype 2 a second length
	p.dst = append(bsoncore.AppendInt32(p.dst, int32(len(raw))), byte(kind))
	p.dst = append(p.dst, raw...)
	return bsoncore.TypeBinary, true
}

func (p *parser) timestamp(args []string) (bsoncore.Type, bool) {
	t, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil || len(args) != 2 {
		return 0, p.fail(BadValue)
	}
	i, err := strconv.ParseUint(args[1], 10, 32)
	if err != nil {
		return 0, p.fail(BadValue)
	}
	if t > math.MaxUint32 {
		t /= 1000 // before 3.6 it is in milliseconds
	}
	p.dst = bsoncore.AppendTimestamp(p.dst, uint32(t), uint32(i))
	return bsoncore.TypeTimestamp, true
}
