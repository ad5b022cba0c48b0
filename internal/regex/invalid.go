package regex

import (
	"strings"
	"unicode/utf8"
)

// invalid reports whether every server refuses the regular expression. It is
// silent where PCRE and PCRE2, or the way a server version calls them, differ:
// an unclosed \Q, for one, is an error up to 6.0 only.
func invalid(pattern, options string, toks []token) bool {
	if strings.Trim(options, "imsux") != "" || strings.Contains(pattern, "\x00") || !utf8.ValidString(pattern) {
		return true
	}
	depth := 0
	repeatable := false
	for _, t := range toks {
		switch t.kind {
		case broken:
			return true
		case openGroup:
			depth++
		case closeGroup:
			depth--
			if depth < 0 {
				return true
			}
		case quantifier:
			if !repeatable {
				return true
			}
		case blank:
			continue
		}
		repeatable = t.kind != openGroup && t.kind != alternation && t.kind != startAnchor
	}
	return depth != 0
}
