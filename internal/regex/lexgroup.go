package regex

import "strings"

// lookaround lists the openings that are complete after a fixed text; longer
// ones stand before their own beginnings.
var lookaround = []string{"?<=", "?<!", "?<*", "?=", "?!", "?*", "?>", "?|"}

// group reads everything that starts with a parenthesis.
func (l *lexer) group(t *token) {
	l.i++
	switch {
	case l.has("*"):
		l.star(t)
		return
	case !l.has("?"):
		t.plain = true
		l.open(t)
		return
	case l.has("?#"):
		l.upTo(")", t, blank)
		return
	case l.has("?P="), l.has("?P>"), l.has("?&"), l.has("?R"), l.has("?C"), l.recursion():
		l.upTo(")", t, backref)
		return
	case l.has("?:"):
		t.plain = true
		l.i += 2
		l.open(t)
		return
	}
	for _, opening := range lookaround {
		if l.has(opening) {
			l.i += len(opening)
			l.open(t)
			return
		}
	}
	switch {
	case l.enclosed("?<", ">"), l.enclosed("?P<", ">"), l.enclosed("?'", "'"):
		t.plain = true
		l.open(t)
	case l.has("?("):
		l.conditional(t)
	default:
		l.inlineFlags(t)
	}
}

// open remembers the flags in force, which the group may change for itself.
func (l *lexer) open(t *token) {
	t.kind = openGroup
	l.outer = append(l.outer, l.flags)
}

// upTo passes everything until the text end, which may be missing.
func (l *lexer) upTo(end string, t *token, k kind) {
	n := strings.Index(l.s[l.i:], end)
	if n < 0 {
		t.kind = broken
		l.i = len(l.s)
		return
	}
	t.kind = k
	l.i += n + len(end)
}

// recursion reports (?1, (?+1 and (?-1.
func (l *lexer) recursion() bool {
	rest := l.s[l.i+1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	return rest != "" && isDigit(rest[0])
}

// star reads (*VERB) and the spelled-out groups (*atomic:...) of newer PCRE.
func (l *lexer) star(t *token) {
	name := l.s[l.i+1:]
	n := 0
	for n < len(name) && ('a' <= name[n] && name[n] <= 'z' || name[n] == '_') {
		n++
	}
	switch {
	case n > 0 && n < len(name) && name[n] == ':':
		l.i += 1 + n + 1
		l.open(t)
	case name != "" && ('A' <= name[0] && name[0] <= 'Z' || name[0] == ':'):
		l.upTo(")", t, verb)
	default: // a group that begins with a quantifier
		l.open(t)
	}
}

// conditional reads (?(1), (?(<name>); with (?(?=...) the condition is a group
// of its own and is left for the next token.
func (l *lexer) conditional(t *token) {
	l.i++
	if !l.has("(?") && !l.has("(*") {
		if !l.enclosed("(", ")") {
			t.kind = broken
			l.i = len(l.s)
			return
		}
	}
	l.open(t)
}

// inlineFlags reads (?i), (?i-s) and (?i:...).
func (l *lexer) inlineFlags(t *token) {
	l.i++
	flags, on := l.flags, true
	for ; l.i < len(l.s); l.i++ {
		switch c := l.s[l.i]; {
		case c == 'i':
			flags.fold = on
		case c == 'm':
			flags.lines = on
		case c == 'x':
			flags.extended = on
		case c == '-':
			on = false
		case c == '^':
			flags = flagSet{}
		case c == ')':
			t.kind = setFlags
			l.flags = flags
			l.i++
			return
		case c == ':':
			l.open(t)
			t.plain = true
			l.flags = flags
			l.i++
			return
		case !isLetter(c):
			l.open(t) // no flags after all
			return
		}
	}
	l.open(t)
}
