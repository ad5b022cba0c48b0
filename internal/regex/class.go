package regex

// Reason says why a regular expression gets the index interval it gets.
type Reason string

const (
	// OK: the interval is as tight as the literals allow.
	OK Reason = "ok"
	// Unanchored: the first character of the pattern is not ^ (or \A).
	Unanchored Reason = "unanchored"
	// EmptyPrefix: anchored, but no literal character is certain to follow.
	EmptyPrefix Reason = "empty-prefix"
	// GroupBeforeLiteral: a parenthesis stands before the first literal.
	GroupBeforeLiteral Reason = "group-before-literal"
	// ClassBeforeLiteral: [...], \d and the like stand before the first literal.
	ClassBeforeLiteral Reason = "class-before-literal"
	// Alternation: mongod gives up at any | that has no backslash before it,
	// even inside [...] and \Q...\E.
	Alternation Reason = "alternation"
	// Multiline: ^ also matches after a line break, so nothing follows from it.
	Multiline Reason = "multiline"
	// CaseInsensitive: option i, or (?i) before anything is matched.
	CaseInsensitive Reason = "case-insensitive"
	// FlagBlocksPrefix: option u, or a verb such as (*UCP) before the anchor.
	FlagBlocksPrefix Reason = "flag-blocks-prefix"
	// ShortPrefix: bounded, but a quantifier, group, class or inline flag cut
	// the prefix to a single character. It is a mild case: the index is used,
	// and the caller decides whether to speak of it.
	ShortPrefix Reason = "short-prefix"
	// OptionalQuantifier: the interval is narrower than the pattern, because
	// mongod did not notice that the last literal may be absent. The query
	// loses documents as soon as an index serves it.
	OptionalQuantifier Reason = "optional-quantifier"
	// Invalid: every server version rejects the pattern or its options. Some
	// patterns that one version rejects and another accepts are not Invalid.
	Invalid Reason = "invalid"
)

// Class is the judgement on one regular expression. Its strings and counts are
// taken from the pattern, so Prefix is user data.
type Class struct {
	// Prefix is the lower bound of the index interval, "" when mongod scans
	// all strings. It is byte for byte the server's, which may end in half a
	// character (/^aé?/ gives "a\xc3"): the server drops bytes.
	Prefix string
	Reason Reason

	// Form is what the author seems to want, whatever the reason.
	Form Form
	// Literal: between the anchors there is one run of literal characters, so
	// the pattern can be replaced by an equality or a range. Groups that do
	// nothing but enclose, and a leading or trailing .*, do not count.
	Literal bool
	// Dotted is the form that it has when an unescaped . between two literals
	// stands for a dot, as in a pattern made of an address that somebody typed
	// in. "" when that makes neither Exact nor Prefix of it.
	Dotted Form
	// LeadingWildcard: the pattern starts with .*, .*? or ^.*, which changes
	// little about what matches (^.* keeps to the first line) and can be deleted.
	LeadingWildcard bool
	// Alternatives is the number of values or anchored literals that an $in
	// could list instead of the pattern. Only with Reason Alternation, else 0.
	Alternatives int
	// Uncased: no character of the pattern has an upper and a lower case, so
	// that deleting option i changes nothing. Only with Reason CaseInsensitive.
	Uncased bool
}

// maxPattern is mongod's limit in bytes (RegexMatchExpression::kMaxPatternSize).
// It also bounds the memory one pattern can claim here.
const maxPattern = 32764

// Classify judges a pattern with its options, as BSON carries them. For
// {$regex: ..., $options: ...} the caller passes the options the server would
// use: $options if present, else those of the regular expression.
func Classify(pattern, options string) Class {
	if len(pattern) > maxPattern {
		return Class{Reason: Invalid, Form: Contains}
	}
	toks := lexAll(pattern, options)
	if invalid(pattern, options, toks) {
		return Class{Reason: Invalid, Form: Contains}
	}
	p := scanPrefix(pattern, options)
	c := Class{Prefix: p.prefix}
	c.Form, c.Literal, c.LeadingWildcard = form(pattern, toks)
	c.Reason = reason(p, options, toks)
	switch c.Reason {
	case CaseInsensitive:
		c.Uncased = uncased(pattern, toks)
		if !c.Literal {
			c.Dotted = dotted(pattern, toks)
		}
	case Alternation:
		if n, form := alternatives(pattern, toks); n > 0 {
			c.Alternatives, c.Form = n, form
		}
	}
	return c
}
