package regex

// flatten leaves out what does not change which strings match: blanks, flag
// settings, verbs, and the parentheses of groups that hold neither a | of their
// own nor are repeated.
func flatten(toks []token) []token {
	kept := make([]token, 0, len(toks))
	for _, t := range toks {
		if t.kind != blank && t.kind != setFlags && t.kind != verb {
			kept = append(kept, t)
		}
	}
	drop := enclosing(kept)
	flat := kept[:0]
	for i, t := range kept {
		if !drop[i] {
			flat = append(flat, t)
		}
	}
	return flat
}

// enclosing marks the parentheses that can go.
func enclosing(toks []token) []bool {
	type group struct {
		at     int
		choice bool // holds a | of its own
	}
	drop := make([]bool, len(toks))
	var open []group
	for i, t := range toks {
		switch {
		case t.kind == openGroup:
			open = append(open, group{at: i})
		case len(open) == 0:
		case t.kind == alternation:
			open[len(open)-1].choice = true
		case t.kind == closeGroup:
			g := open[len(open)-1]
			open = open[:len(open)-1]
			repeated := i+1 < len(toks) && toks[i+1].kind == quantifier
			if toks[g.at].plain && !g.choice && !repeated {
				drop[g.at], drop[i] = true, true
			}
		}
	}
	return drop
}

// hasAlternation reports a | that PCRE takes for one.
func hasAlternation(toks []token) bool {
	for _, t := range toks {
		if t.kind == alternation {
			return true
		}
	}
	return false
}
