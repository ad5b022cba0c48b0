package extjson

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Bounds of one document.
const (
	MaxDepth    = 200      // what the server takes, see op
	MaxBytes    = 48 << 20 // of BSON: an array of short numbers grows sevenfold
	MaxElements = 2 << 20
)

// Reasons why a text is not read; a closed set.
const (
	NotObject   = "not an object"
	Unexpected  = "unexpected character"
	Unfinished  = "unexpected end"
	BadNumber   = "malformed number"
	BadEscape   = "malformed escape"
	BadKey      = "key with a zero byte"
	TooDeep     = "nested too deeply"
	TooLarge    = "too large"
	TooManyKeys = "too many elements"
)

// Error says where reading ended and why, and nothing of what stands there.
type Error struct {
	Offset int // in bytes
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("extended JSON: %s at byte %d", e.Reason, e.Offset)
}

// Append appends the BSON of the document at the beginning of src to dst. n is how
// many bytes of src it takes, with the white space before it. The result aliases
// dst and nothing of src; after an error it is worth nothing but its memory.
func Append(dst, src []byte) (out []byte, n int, err error) {
	p := parser{src: src, dst: dst, base: len(dst)}
	if p.space(); p.peek() != '{' {
		p.fail(NotObject)
		if p.pos == len(src) {
			p.reason = Unfinished
		}
	} else {
		p.object(parent{})
	}
	if p.reason != "" {
		return p.dst, p.pos, &Error{p.pos, p.reason}
	}
	return p.dst, p.pos, nil
}

// parser reads one document. The first failure stays.
type parser struct {
	src      []byte
	pos      int
	dst      []byte
	base     int
	depth    int
	elements int
	reason   string
	scratch  []byte
}

// parent says where an object stands: what Extended JSON of version 1 writes for
// a regular expression is an operator in other places.
type parent struct {
	array bool
	key   string
}

func (p *parser) fail(reason string) bool {
	if p.reason == "" {
		p.reason = reason
	}
	return false
}

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// unexpected fails at a byte that cannot stand there.
func (p *parser) unexpected() bool {
	if p.pos >= len(p.src) {
		return p.fail(Unfinished)
	}
	return p.fail(Unexpected)
}

// enter begins a container, whose length is filled in by leave.
func (p *parser) enter() (start int, ok bool) {
	if p.depth++; p.depth > MaxDepth {
		return 0, p.fail(TooDeep)
	}
	start = len(p.dst)
	p.dst = append(p.dst, 0, 0, 0, 0)
	p.pos++ // the bracket
	p.space()
	return start, true
}

func (p *parser) leave(start int) bool {
	p.depth--
	p.pos++ // the bracket
	p.dst = append(p.dst, 0)
	binary.LittleEndian.PutUint32(p.dst[start:], uint32(len(p.dst)-start))
	return true
}

// element begins one, whose type is filled in when it is known.
func (p *parser) element() (at int, ok bool) {
	if p.elements++; p.elements > MaxElements {
		return 0, p.fail(TooManyKeys)
	}
	if len(p.dst)-p.base > MaxBytes {
		return 0, p.fail(TooLarge)
	}
	p.dst = append(p.dst, 0)
	return len(p.dst) - 1, true
}

// object reads one, and what it stands for if it stands for a value.
func (p *parser) object(in parent) (bsoncore.Type, bool) {
	start, ok := p.enter()
	if !ok {
		return 0, false
	}
	wrapper := false
	for first := true; ; first = false {
		if p.peek() == '}' {
			break
		}
		if !first {
			if p.peek() != ',' {
				return 0, p.unexpected()
			}
			p.pos++
			p.space()
		}
		at, ok := p.element()
		if !ok || !p.key() {
			return 0, false
		}
		key := p.dst[at+1:]
		wrapper = wrapper || first && key[0] == '$'
		if p.space(); p.peek() != ':' {
			return 0, p.unexpected()
		}
		p.pos++
		p.space()
		var name string
		if p.peek() == '{' && len(key) == len("regex")+1 {
			name = string(key[:len(key)-1])
		}
		t, ok := p.value(parent{key: name})
		if !ok {
			return 0, false
		}
		p.dst[at] = byte(t)
		p.space()
	}
	p.leave(start)
	if wrapper && p.depth > 0 {
		return p.unwrap(start, in), true
	}
	return bsoncore.TypeEmbeddedDocument, true
}

func (p *parser) array() (bsoncore.Type, bool) {
	start, ok := p.enter()
	if !ok {
		return 0, false
	}
	for i := int64(0); p.peek() != ']'; i++ {
		if i > 0 {
			if p.peek() != ',' {
				return 0, p.unexpected()
			}
			p.pos++
			p.space()
		}
		at, ok := p.element()
		if !ok {
			return 0, false
		}
		p.dst = append(strconv.AppendInt(p.dst, i, 10), 0)
		t, ok := p.value(parent{array: true})
		if !ok {
			return 0, false
		}
		p.dst[at] = byte(t)
		p.space()
	}
	return bsoncore.TypeArray, p.leave(start)
}

// value reads one of any kind.
func (p *parser) value(in parent) (bsoncore.Type, bool) {
	switch c := p.peek(); c {
	case '"':
		start := len(p.dst)
		p.dst = append(p.dst, 0, 0, 0, 0)
		if !p.text() {
			return 0, false
		}
		p.dst = append(p.dst, 0)
		binary.LittleEndian.PutUint32(p.dst[start:], uint32(len(p.dst)-start-4))
		return bsoncore.TypeString, true
	case '{':
		return p.object(in)
	case '[':
		return p.array()
	case 't':
		p.dst = append(p.dst, 1)
		return bsoncore.TypeBoolean, p.word("true")
	case 'f':
		p.dst = append(p.dst, 0)
		return bsoncore.TypeBoolean, p.word("false")
	case 'n':
		return bsoncore.TypeNull, p.word("null")
	default:
		return p.number()
	}
}

// word takes a word that begins with the next byte.
func (p *parser) word(w string) bool {
	rest := p.src[p.pos:]
	if len(rest) < len(w) && strings.HasPrefix(w, string(rest)) {
		p.pos = len(p.src)
		return p.fail(Unfinished)
	}
	if len(rest) < len(w) || string(rest[:len(w)]) != w {
		return p.fail(Unexpected)
	}
	p.pos += len(w)
	return true
}
