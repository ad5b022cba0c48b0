package extjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// key reads a field's name, with the zero byte that ends it.
func (p *parser) key() bool {
	if p.peek() != '"' {
		return p.unexpected()
	}
	start := len(p.dst)
	if !p.text() {
		return false
	}
	if bytes.IndexByte(p.dst[start:], 0) >= 0 {
		return p.fail(BadKey)
	}
	p.dst = append(p.dst, 0)
	return true
}

// text appends what a quoted string means.
func (p *parser) text() bool {
	p.pos++
	rest := p.src[p.pos:]
	end := 0
	for end < len(rest) && rest[end] != '"' && rest[end] != '\\' {
		if end++; end == 64 { // a long one: the library's search is quicker by far
			return p.longText()
		}
	}
	p.dst = append(p.dst, rest[:end]...)
	p.pos += end
	return p.escaped()
}

// longText copies in one piece what has no escapes.
func (p *parser) longText() bool {
	rest := p.src[p.pos:]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		p.pos = len(p.src)
		return p.fail(Unfinished)
	}
	if escape := bytes.IndexByte(rest[:end], '\\'); escape >= 0 {
		end = escape
	}
	p.dst = append(p.dst, rest[:end]...)
	p.pos += end
	return p.escaped()
}

// escaped reads to the end of a string, byte by byte where it has escapes.
func (p *parser) escaped() bool {
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		switch c {
		case '"':
			p.pos++
			return true
		case '\\':
			if !p.escape() {
				return false
			}
		default:
			start := p.pos
			for p.pos < len(p.src) && p.src[p.pos] != '"' && p.src[p.pos] != '\\' {
				p.pos++
			}
			p.dst = append(p.dst, p.src[start:p.pos]...)
		}
	}
	return p.fail(Unfinished)
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', '\'': '\''}

func (p *parser) escape() bool {
	if p.pos+1 >= len(p.src) {
		p.pos = len(p.src)
		return p.fail(Unfinished)
	}
	c := p.src[p.pos+1]
	if plain := escapes[c]; plain != 0 {
		p.dst = append(p.dst, plain)
		p.pos += 2
		return true
	}
	if c != 'u' {
		return p.fail(BadEscape)
	}
	r, ok := p.hex4(p.pos + 2)
	if !ok {
		return p.fail(BadEscape)
	}
	p.pos += 6
	if utf16.IsSurrogate(r) {
		low, ok := rune(0), false
		if p.pos+1 < len(p.src) && p.src[p.pos] == '\\' && p.src[p.pos+1] == 'u' {
			low, ok = p.hex4(p.pos + 2)
		}
		if r = utf16.DecodeRune(r, low); ok && r != utf8.RuneError {
			p.pos += 6
		}
	}
	p.dst = utf8.AppendRune(p.dst, r)
	return true
}

func (p *parser) hex4(at int) (r rune, ok bool) {
	if at+4 > len(p.src) {
		return 0, false
	}
	for _, c := range p.src[at : at+4] {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
