package regex

import "strings"

// scan is the outcome of mongod's own reading of a pattern.
type scan struct {
	anchor  string // ^ or \A, "" when the pattern starts with neither
	pipe    bool   // a | without a backslash before it
	blocked bool   // an option that mongod does not look past
	prefix  string
	stop    int // where the reading ended, len(pattern) if at the end
	// stopByte is the byte at stop, 0 at the end of the pattern.
	stopByte byte
	// dropped is the byte that a * or ? took back from the prefix, else 0.
	dropped byte
}

// scanPrefix repeats mongod's reading (analyze_regex.cpp, getRegexPrefixMatch).
// It works on bytes and knows nothing of groups, classes or counted quantifiers.
func scanPrefix(pattern, options string) scan {
	p := scan{stop: len(pattern)}
	switch {
	case strings.HasPrefix(pattern, `\A`):
		p.anchor = `\A`
	case strings.HasPrefix(pattern, "^"):
		p.anchor = "^"
	default:
		return p
	}
	p.pipe = unescapedPipe(pattern[len(p.anchor):])
	allowed := "sx"
	if p.anchor == `\A` {
		allowed = "smx"
	}
	p.blocked = strings.Trim(options, allowed) != ""
	if p.pipe || p.blocked {
		return p
	}
	p.literals(pattern, strings.Contains(options, "x"))
	return p
}

// literals collects characters until one that may not stand for itself.
func (p *scan) literals(s string, extended bool) {
	out := make([]byte, 0, len(s))
	defer func() {
		p.prefix = string(out)
		if p.stop < len(s) {
			p.stopByte = s[p.stop]
		}
	}()
	for i := len(p.anchor); i < len(s); i++ {
		switch c := s[i]; {
		case c == '*' || c == '?':
			p.stop = i
			if n := len(out); n > 0 {
				p.dropped, out = out[n-1], out[:n-1]
			}
			return
		case c == '\\' && i+1 < len(s) && s[i+1] == 'Q':
			quoted, _, closed := strings.Cut(s[i+2:], `\E`)
			out = append(out, quoted...)
			i += 1 + len(quoted)
			if closed {
				i += 2
			}
		case c == '\\':
			if i+1 == len(s) || isLetter(s[i+1]) || isDigit(s[i+1]) {
				p.stop = i
				return
			}
			i++
			out = append(out, s[i])
		case strings.IndexByte("^$.[()+{", c) >= 0, extended && c == '#':
			p.stop = i
			return
		case extended && isSpace(c):
		default:
			out = append(out, c)
		}
	}
}

// unescapedPipe is mongod's own approximation: it looks at no more than the two
// bytes before each |.
func unescapedPipe(s string) bool {
	for i := range len(s) {
		if s[i] != '|' {
			continue
		}
		if i == 0 || s[i-1] != '\\' || i > 1 && s[i-2] == '\\' {
			return true
		}
	}
	return false
}
