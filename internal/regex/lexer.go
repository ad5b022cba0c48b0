package regex

import (
	"strings"
	"unicode/utf8"
)

// lexer cuts a pattern into tokens the way PCRE reads it. It accepts anything:
// what PCRE would refuse comes out as broken, or as a literal. Every call
// moves on by at least one byte.
type lexer struct {
	s      string
	i      int
	quoted bool // between \Q and \E
	flags  flagSet
	outer  []flagSet // flags to restore at the closing parentheses
}

// flagSet holds the flags that change how a pattern is read or judged.
type flagSet struct{ fold, lines, extended bool }

func newLexer(pattern, options string) *lexer {
	return &lexer{s: pattern, flags: flagSet{
		fold:     strings.Contains(options, "i"),
		lines:    strings.Contains(options, "m"),
		extended: strings.Contains(options, "x"),
	}}
}

func lexAll(pattern, options string) []token {
	l := newLexer(pattern, options)
	toks := make([]token, 0, min(len(pattern), 64))
	for {
		t, ok := l.next()
		if !ok {
			return toks
		}
		toks = append(toks, t)
	}
}

// next returns the next token, false at the end.
func (l *lexer) next() (token, bool) {
	if l.i >= len(l.s) {
		return token{}, false
	}
	t := token{pos: l.i, fold: l.flags.fold, lines: l.flags.lines}
	if l.quoted {
		l.quotedChar(&t)
	} else {
		l.read(&t)
	}
	t.end = l.i
	return t, true
}

func (l *lexer) quotedChar(t *token) {
	if strings.HasPrefix(l.s[l.i:], `\E`) {
		l.i += 2
		l.quoted = false
		t.kind = blank
		return
	}
	l.char(t)
}

// char takes one character as itself. A byte that is no UTF-8 counts as one.
func (l *lexer) char(t *token) {
	r, n := utf8.DecodeRuneInString(l.s[l.i:])
	t.kind, t.r = literal, r
	l.i += n
}

func (l *lexer) read(t *token) {
	c := l.s[l.i]
	if l.flags.extended && (isSpace(c) || c == '#') {
		l.skipExtended(c)
		t.kind = blank
		return
	}
	switch c {
	case '\\':
		l.escape(t)
		return
	case '[':
		l.class(t)
		return
	case '(':
		l.group(t)
		return
	case '{':
		l.braces(t)
		return
	case '*', '+', '?':
		t.kind = quantifier
		if c == '+' {
			t.min = 1
		}
		l.i++
		l.suffix()
		return
	case '.':
		t.kind = dot
	case '^':
		t.kind = startAnchor
	case '$':
		t.kind = endAnchor
	case '|':
		t.kind = alternation
	case ')':
		t.kind = closeGroup
		if n := len(l.outer); n > 0 {
			l.flags, l.outer = l.outer[n-1], l.outer[:n-1]
		}
	default:
		l.char(t)
		return
	}
	l.i++
}

// skipExtended passes a blank, or a # comment with the line break that ends it.
func (l *lexer) skipExtended(c byte) {
	if c != '#' {
		l.i++
		return
	}
	if n := strings.IndexByte(l.s[l.i:], '\n'); n >= 0 {
		l.i += n + 1
	} else {
		l.i = len(l.s)
	}
}

// braces reads {n}, {n,} or {n,m}; anything else after { is a literal brace.
func (l *lexer) braces(t *token) {
	low, n := digits(l.s[l.i+1:])
	end := l.i + 1 + n
	if n > 0 && end < len(l.s) && l.s[end] == ',' {
		_, m := digits(l.s[end+1:])
		end += 1 + m
	}
	if n == 0 || end >= len(l.s) || l.s[end] != '}' {
		l.char(t)
		return
	}
	t.kind, t.min = quantifier, low
	l.i = end + 1
	l.suffix()
}

// suffix passes the ? or + that makes a quantifier lazy or possessive.
func (l *lexer) suffix() {
	if l.i < len(l.s) && (l.s[l.i] == '?' || l.s[l.i] == '+') {
		l.i++
	}
}

// digits reads a decimal number; n is its length, 0 when there is none. Large
// numbers stop growing, for only 0 is told from the rest.
func digits(s string) (value, n int) {
	for n < len(s) && isDigit(s[n]) {
		value = min(value*10+int(s[n]-'0'), 1<<20)
		n++
	}
	return value, n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isSpace is C's isspace, which mongod and PCRE skip under option x.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
