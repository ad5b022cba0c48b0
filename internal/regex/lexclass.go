package regex

import "strings"

// class reads [...]. A ] directly after the opening stands for itself, and
// \Q...\E and [:alpha:] may hold another.
func (l *lexer) class(t *token) {
	t.kind = class
	l.i++
	if l.has("^") {
		l.i++
	}
	if l.has("]") {
		l.i++
	}
	for l.i < len(l.s) {
		switch c := l.s[l.i]; {
		case c == ']':
			l.i++
			return
		case c == '[' && l.posixClass():
		case l.has(`\Q`):
			_, rest, _ := strings.Cut(l.s[l.i:], `\E`)
			l.i = len(l.s) - len(rest)
		case l.has(`\c`):
			l.skip(3)
		case c == '\\':
			l.skip(2)
		default:
			l.i++
		}
	}
	t.kind = broken
}

// posixClass passes [:name:], [.x.] or [=x=].
func (l *lexer) posixClass() bool {
	if l.i+1 >= len(l.s) {
		return false
	}
	mark := l.s[l.i+1]
	if mark != ':' && mark != '.' && mark != '=' {
		return false
	}
	rest := l.s[l.i+2:]
	n := strings.IndexByte(rest, mark)
	if n < 0 || n+1 >= len(rest) || rest[n+1] != ']' || strings.ContainsAny(rest[:n], `\[]`) {
		return false
	}
	l.i += 2 + n + 2
	return true
}
