package regex

// maxAround is how many tokens may surround a group of alternatives. Each
// alternative is judged together with them.
const maxAround = 256

// alternatives counts the members of an $in that could replace the pattern:
// ^a|^b, ^(a|b)$, ^item-(a|b). It is 0 unless every member is a literal tied to
// the start. The form is Exact when every member is a value, else Prefix.
func alternatives(pattern string, toks []token) (int, Form) {
	flat := flatten(toks)
	before, inside, after := choice(flat)
	if len(before)+len(after) > maxAround {
		return 0, Contains
	}
	n, all := 0, Exact
	for rest, more := inside, true; more; n++ {
		var member []token
		member, rest, more = cutChoice(rest)
		whole := make([]token, 0, len(before)+len(member)+len(after))
		whole = append(append(append(whole, before...), member...), after...)
		f, ok, _ := formOf(pattern, whole)
		if !ok || f != Exact && f != Prefix || len(whole) > 0 && whole[len(whole)-1].fold {
			return 0, Contains
		}
		if f == Prefix {
			all = Prefix
		}
	}
	if n < 2 {
		return 0, Contains
	}
	return n, all
}

// choice splits tokens around the group that holds the alternatives; when they
// stand outside of any group, everything is inside.
func choice(toks []token) (before, inside, after []token) {
	first, depth := -1, 0
	for i, t := range toks {
		switch t.kind {
		case alternation:
			if depth == 0 {
				return nil, toks, nil
			}
		case openGroup:
			if first < 0 {
				first = i
			}
			depth++
		case closeGroup:
			depth--
			if depth == 0 && inside == nil && toks[first].plain {
				before, inside, after = toks[:first], toks[first+1:i], toks[i+1:]
			}
		}
	}
	if inside == nil || len(after) > 0 && after[0].kind == quantifier {
		return nil, toks, nil
	}
	return before, inside, after
}

// cutChoice returns the tokens before the first | outside of any group, and
// those behind it.
func cutChoice(toks []token) (member, rest []token, more bool) {
	depth := 0
	for i, t := range toks {
		switch {
		case t.kind == openGroup:
			depth++
		case t.kind == closeGroup:
			depth--
		case t.kind == alternation && depth == 0:
			return toks[:i], toks[i+1:], true
		}
	}
	return toks, nil, false
}
