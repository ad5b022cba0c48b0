package shelltext

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Bounds of one document.
const (
	MaxDepth    = 200
	MaxElements = 1 << 20
)

// Reasons why a text is not read; a closed set.
const (
	NotObject   = "not a document"
	Unexpected  = "unexpected character"
	Unfinished  = "unexpected end"
	Left        = "left out by the server"
	BadValue    = "malformed value"
	BadKey      = "malformed key"
	TooDeep     = "nested too deeply"
	TooManyKeys = "too many elements"
)

// Error says where reading ended and why, and nothing of what stands there.
type Error struct {
	Offset int // in bytes
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("document: %s at byte %d", e.Reason, e.Offset) }

// Append appends the BSON of the document at the beginning of src to dst. n is how
// many bytes of src it takes. The result aliases nothing of src.
func Append(dst, src []byte) (out []byte, n int, err error) {
	p := parser{src: src, dst: dst}
	if p.space(); p.peek() != '{' {
		p.fail(NotObject)
	} else {
		p.object()
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
	depth    int
	elements int
	reason   string
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
	for p.pos < len(p.src) && p.src[p.pos] == ' ' {
		p.pos++
	}
}

// unexpected fails at a byte that cannot stand there.
func (p *parser) unexpected() bool {
	switch {
	case p.pos >= len(p.src):
		return p.fail(Unfinished)
	case bytes.HasPrefix(p.src[p.pos:], []byte("...")):
		return p.fail(Left)
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
	p.dst = append(p.dst, 0)
	return len(p.dst) - 1, true
}

// comma takes what parts two elements.
func (p *parser) comma() bool {
	if p.peek() != ',' {
		return p.unexpected()
	}
	p.pos++
	p.space()
	return true
}

func (p *parser) object() (bsoncore.Type, bool) {
	start, ok := p.enter()
	if !ok {
		return 0, false
	}
	for first := true; p.peek() != '}'; first = false {
		if !first && !p.comma() {
			return 0, false
		}
		at, ok := p.element()
		if !ok || !p.key() {
			return 0, false
		}
		p.space()
		t, ok := p.value()
		if !ok {
			return 0, false
		}
		p.dst[at] = byte(t)
		p.space()
	}
	return bsoncore.TypeEmbeddedDocument, p.leave(start)
}

func (p *parser) array() (bsoncore.Type, bool) {
	start, ok := p.enter()
	if !ok {
		return 0, false
	}
	for i := int64(0); p.peek() != ']'; i++ {
		if i > 0 && !p.comma() {
			return 0, false
		}
		at, ok := p.element()
		if !ok {
			return 0, false
		}
		p.dst = append(strconv.AppendInt(p.dst, i, 10), 0)
		t, ok := p.value()
		if !ok {
			return 0, false
		}
		p.dst[at] = byte(t)
		p.space()
	}
	return bsoncore.TypeArray, p.leave(start)
}

// key reads a field's name and the colon behind it. Names are not quoted: one ends
// at the first colon with a space behind it.
func (p *parser) key() bool {
	rest := p.src[p.pos:]
	if bytes.HasPrefix(rest, []byte("...")) {
		return p.fail(Left)
	}
	end := bytes.Index(rest[:min(len(rest), maxName+2)], []byte(": "))
	if quote := p.peek(); quote == '"' || quote == '\'' { // as people write it
		end = bytes.IndexByte(rest[1:], quote)
		if end < 0 {
			return p.fail(Unfinished)
		}
		name := rest[1 : 1+end]
		p.pos += end + 2
		if p.space(); p.peek() != ':' {
			return p.unexpected()
		}
		p.pos++
		return p.name(name)
	}
	if end < 0 {
		if end = bytes.IndexByte(rest, ':'); end < 0 {
			p.pos = len(p.src)
			return p.fail(Unfinished)
		}
	}
	p.pos += end + 1
	return p.name(rest[:end])
}

// name appends a field's name. One with a bracket or a comma is rather a value
// that ended early.
func (p *parser) name(name []byte) bool {
	if len(name) > maxName || bytes.ContainsAny(name, "{}[],\"\x00") {
		return p.fail(BadKey)
	}
	p.dst = append(append(p.dst, name...), 0)
	return true
}

// maxName is the longest field name that is taken for one, in bytes.
const maxName = 1024
