package op

import "strings"

// Path cleans a dotted field path for output: segments that look like data
// (ids, dates, mail addresses, numbers) are replaced, since a key of a
// document can carry a value.
func Path(path string) string {
	if len(path) > maxPath {
		return "<path>" // longer than any that an index or a person could use
	}
	if cleanPath(path) {
		return path
	}
	if strings.ContainsRune(path, '@') {
		return "<key>" // the dots of a mail address part no segments
	}
	segments := strings.Split(path, ".")
	for i, s := range segments {
		segments[i] = Name(s)
	}
	return strings.Join(segments, ".")
}

// maxPath is the longest field path that is shown and kept, in bytes.
const maxPath = 255

// cleanPath is the quick test of the usual case: nothing to replace.
func cleanPath(path string) bool {
	start := 0
	for i := 0; i <= len(path); i++ {
		if i == len(path) || path[i] == '.' {
			if LooksLikeData(path[start:i]) {
				return false
			}
			start = i + 1
		}
	}
	return true
}

// Name cleans one field name: "<n>" for a number, "<key>" for anything else
// that looks like data.
func Name(s string) string {
	if !LooksLikeData(s) {
		return s
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return "<key>"
		}
	}
	return "<n>"
}

// maxName is the longest field name that is taken for one. Longer ones are data
// used as keys (tokens, URLs, sentences).
const maxName = 48

// LooksLikeData reports whether a field name is more likely a value used as a
// key: a number, four digits in a row (years, ids), a hexadecimal id, a UUID, a
// mail address, or anything with characters that names do not have.
func LooksLikeData(s string) bool {
	if s == "" {
		return false
	}
	if len(s) > maxName {
		return true
	}
	digits, run, longest, letters, hex := 0, 0, 0, 0, 0
	for i := range len(s) {
		c := s[i]
		switch {
		case isDigit(c):
			digits++
			hex++
			run++
			longest = max(longest, run)
			continue
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			hex++
			letters++
		case c >= 'g' && c <= 'z' || c >= 'G' && c <= 'Z' || c >= 0x80:
			letters++
		case c == '_' || c == '-' || c == '$' || c == '*' || c == '[' || c == ']' || c == '<' || c == '>':
		default:
			return true
		}
		run = 0
	}
	switch {
	case letters == 0 && digits > 0, longest >= 4:
		return true
	case hex == len(s) && len(s) >= 8 && digits > 0:
		return true
	}
	return len(s) >= 12 && digits*4 >= len(s) || random(s, digits)
}

// random reports whether a name changes between upper case, lower case and
// digits as keys and tokens do, and words do not: "sk_live_4eC39HqLyjWD" changes
// at every second character, "shippingAddress2" three times.
func random(s string, digits int) bool {
	if digits == 0 || len(s) < 6 {
		return false
	}
	changes, lower := 0, 0
	for i := range len(s) {
		k := class(s[i])
		if k == 'a' {
			lower++
		}
		if i > 0 && k != 0 && class(s[i-1]) != 0 && k != class(s[i-1]) {
			changes++
		}
	}
	return len(s) >= 10 && lower == 0 || changes*3 >= len(s) && changes >= 4
}

// class is the kind of a character: upper case, lower case, digit, 0 for others.
func class(c byte) byte {
	switch {
	case isDigit(c):
		return '0'
	case c >= 'a' && c <= 'z':
		return 'a'
	case c >= 'A' && c <= 'Z':
		return 'A'
	}
	return 0
}
