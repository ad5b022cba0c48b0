package regex

import "unicode"

// Form is what a pattern looks for, read from its ends.
type Form string

const (
	// Exact: ^literal$, an equality.
	Exact Form = "exact"
	// Prefix: ^literal, also with a trailing .*.
	Prefix Form = "prefix"
	// Suffix: literal$, also with a leading .*.
	Suffix Form = "suffix"
	// Contains: everything else.
	Contains Form = "contains"
)

// form reads the anchors and wildcards at both ends and what is between them.
func form(pattern string, toks []token) (f Form, isLiteral, leadingWildcard bool) {
	return formOf(pattern, flatten(toks))
}

// formOf is form for tokens that flatten has been through.
func formOf(pattern string, toks []token) (f Form, isLiteral, leadingWildcard bool) {
	body := toks
	start := len(body) > 0 && body[0].kind == startAnchor
	for len(body) > 0 && body[0].kind == startAnchor {
		body = body[1:]
	}
	if isWildcard(pattern, body) && !isPossessive(pattern, body[1]) {
		leadingWildcard, start = true, false
		body = body[2:]
	}
	end := len(body) > 0 && body[len(body)-1].kind == endAnchor
	for len(body) > 0 && body[len(body)-1].kind == endAnchor {
		body = body[:len(body)-1]
	}
	if n := len(body); n >= 2 && isWildcard(pattern, body[n-2:]) {
		end = false
		body = body[:n-2]
	}
	switch {
	case !isLiteralRun(body), len(body) == 0 && !(start && end):
		return Contains, false, leadingWildcard
	case start && end:
		return Exact, true, leadingWildcard
	case start:
		return Prefix, true, leadingWildcard
	case end:
		return Suffix, true, leadingWildcard
	}
	return Contains, true, leadingWildcard
}

// dotted is the form of a pattern whose dots between literals are dots.
func dotted(pattern string, toks []token) Form {
	flat := flatten(toks)
	for i := 1; i+1 < len(flat); i++ {
		if t := &flat[i]; t.kind == dot && flat[i-1].kind == literal && flat[i+1].kind == literal {
			t.kind, t.fold = literal, flat[i-1].fold
		}
	}
	if f, ok, wildcard := formOf(pattern, flat); ok && !wildcard && (f == Exact || f == Prefix) {
		return f
	}
	return ""
}

// isWildcard reports whether toks start with .* of any greed.
func isWildcard(pattern string, toks []token) bool {
	return len(toks) >= 2 && toks[0].kind == dot && toks[1].kind == quantifier && pattern[toks[1].pos] == '*'
}

func isPossessive(pattern string, t token) bool { return pattern[t.end-1] == '+' }

// isLiteralRun reports whether toks are characters only, all with the same
// regard for case.
func isLiteralRun(toks []token) bool {
	for _, t := range toks {
		if t.kind != literal && t.kind != coded || t.fold != toks[0].fold {
			return false
		}
	}
	return true
}

// uncased reports whether upper and lower case make no difference to anything
// in the pattern.
func uncased(pattern string, toks []token) bool {
	for _, t := range toks {
		switch t.kind {
		case literal:
			if unicode.SimpleFold(t.r) != t.r {
				return false
			}
		case coded, class, backref:
			return false
		case escape:
			if c := pattern[t.pos+1]; c == 'p' || c == 'P' {
				return false
			}
		}
	}
	return true
}
