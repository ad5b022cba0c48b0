package regex

import (
	"strings"
	"unicode/utf8"
)

// reason explains the outcome of mongod's reading. What the author can change
// first comes first: i before the anchor, the anchor before what follows it.
func reason(p scan, options string, toks []token) Reason {
	switch {
	case foldsFirst(options, toks):
		return CaseInsensitive
	case p.anchor == "":
		return unanchoredReason(toks)
	case p.pipe:
		return Alternation
	case p.blocked && strings.Contains(options, "m"):
		return Multiline
	case p.blocked:
		return FlagBlocksPrefix
	case p.prefix == "":
		return emptyReason(p, toks)
	case tooNarrow(p, toks):
		return OptionalQuantifier
	case utf8.RuneCountInString(p.prefix) == 1 && cutShort(p, toks):
		return ShortPrefix
	}
	return OK
}

// foldsFirst reports whether the first character to be matched is matched
// without case. An (?i) after it leaves the prefix alone; one that (?-i) takes
// back does nothing.
func foldsFirst(options string, toks []token) bool {
	if strings.Contains(options, "i") {
		return true
	}
	fold := false
	for _, t := range toks {
		fold = t.fold
		switch t.kind {
		case literal, coded, class, escape:
			return fold
		}
	}
	return fold
}

// unanchoredReason looks at what stands between the start of the pattern and an
// anchor that comes too late for mongod.
func unanchoredReason(toks []token) Reason {
	group, directive := false, false
	for _, t := range toks {
		switch {
		case t.kind == verb:
			directive = true
		case t.kind == openGroup && t.plain:
			group = true
		case t.kind == blank, t.kind == setFlags:
		case t.kind != startAnchor:
			return Unanchored
		case group && hasAlternation(toks):
			return Alternation
		case group:
			return GroupBeforeLiteral
		case t.lines:
			return Multiline
		case directive:
			return FlagBlocksPrefix
		default:
			return Unanchored
		}
	}
	return Unanchored
}

// emptyReason says what stands where the first literal was expected.
func emptyReason(p scan, toks []token) Reason {
	switch {
	case p.stopByte == '(':
		return GroupBeforeLiteral
	case p.stopByte == '[', after(toks, p.stop).kind == escape:
		return ClassBeforeLiteral
	}
	return EmptyPrefix
}

// cutShort reports whether something that takes literals or hides them ended
// the prefix. A dot, an anchor or the end of the pattern does not.
func cutShort(p scan, toks []token) bool {
	switch after(toks, p.stop).kind {
	case quantifier, openGroup, setFlags, class, escape, coded, backref, verb:
		return true
	}
	return false
}

// tooNarrow finds the literals that mongod put into the prefix although they may
// be absent. It sees * and ?, but not {0,1}, and neither of them behind a
// comment or \E; and it takes back one byte, where é has two. Measured: each of
// these finds fewer documents with an index than without.
func tooNarrow(p scan, toks []token) bool {
	if p.dropped != 0 {
		return p.dropped >= 0x80
	}
	for _, t := range toks {
		if t.pos < p.stop || t.kind == blank {
			continue
		}
		return t.kind == quantifier && t.min == 0
	}
	return false
}

// after returns the token that starts at the byte where mongod stopped, or a
// blank at the end.
func after(toks []token, pos int) token {
	for _, t := range toks {
		if t.pos >= pos {
			return t
		}
	}
	return token{kind: blank, pos: pos}
}
