package regex

import "strings"

// escape reads a backslash and what belongs to it.
func (l *lexer) escape(t *token) {
	if l.i+1 >= len(l.s) {
		t.kind = broken
		l.i++
		return
	}
	l.i++
	c := l.s[l.i]
	if !isLetter(c) && !isDigit(c) {
		l.char(t)
		return
	}
	l.i++
	switch c {
	case 'Q':
		t.kind = blank
		l.quoted = true
	case 'E':
		t.kind = blank
	case 'A':
		t.kind = startAnchor
	case 'Z', 'z':
		t.kind = endAnchor
	case 'b', 'B', 'G', 'K':
		t.kind = assertion
	case 'd', 'D', 'w', 'W', 's', 'S', 'h', 'H', 'v', 'V', 'N', 'R', 'X', 'C':
		t.kind = escape
	case 'p', 'P':
		t.kind = escape
		if !l.enclosed("{", "}") {
			l.skip(1)
		}
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		t.kind = backref
		l.skipDigits()
	case 'g', 'k':
		t.kind = backref
		if !l.enclosed("{", "}") && !l.enclosed("<", ">") && !l.enclosed("'", "'") {
			if l.has("-") || l.has("+") {
				l.i++
			}
			l.skipDigits()
		}
	case 'x', 'o':
		t.kind = coded
		if !l.enclosed("{", "}") && c == 'x' {
			l.skipWhile(2, isHex)
		}
	case '0':
		t.kind = coded
		l.skipWhile(2, isDigit)
	case 'c':
		t.kind = coded
		l.skip(1)
	default: // \a \e \f \n \r \t, and letters without a meaning
		t.kind = coded
	}
}

func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.s[l.i:], prefix) }

// maxName is how far the end of a name or number in brackets is looked for, in
// bytes. PCRE's own limit is 128 characters at most; without one here, a
// pattern of \x{\x{\x{ would cost the square of its length.
const maxName = 512

// enclosed passes "{...}" and its like; false, and nothing passed, if the text
// here does not open one or does not close it within maxName.
func (l *lexer) enclosed(left, right string) bool {
	if !l.has(left) {
		return false
	}
	inner := l.s[l.i+len(left):]
	n := strings.Index(inner[:min(len(inner), maxName)], right)
	if n < 0 {
		return false
	}
	l.i += len(left) + n + len(right)
	return true
}

func (l *lexer) skip(n int) { l.i = min(l.i+n, len(l.s)) }

func (l *lexer) skipDigits() { l.skipWhile(len(l.s), isDigit) }

// skipWhile passes at most n bytes that ok accepts.
func (l *lexer) skipWhile(n int, ok func(byte) bool) {
	for ; n > 0 && l.i < len(l.s) && ok(l.s[l.i]); n-- {
		l.i++
	}
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
