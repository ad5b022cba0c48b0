package analyzers

import "strings"

// collationDefaults are the settings that a query leaves out and the server's own
// list of indexes states. Those that depend on the locale are not among them.
var collationDefaults = map[string]string{"strength": "3", "caseLevel": "false", "numericOrdering": "false"}

// sameCollation reports whether two collations, as op.CollationText writes them,
// compare alike. What only one of them states, and has no default here, is taken
// to be the locale's own.
func sameCollation(a, b string) bool {
	if a == "" || b == "" {
		return a == b
	}
	left, right := collationParts(a), collationParts(b)
	for name, value := range left {
		if other, stated := right[name]; stated && other != value {
			return false
		}
	}
	for name, value := range collationDefaults {
		l, r := left[name], right[name]
		if l == "" {
			l = value
		}
		if r == "" {
			r = value
		}
		if l != r {
			return false
		}
	}
	return true
}

func collationParts(text string) map[string]string {
	parts := map[string]string{}
	for _, part := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		parts[name] = value
	}
	return parts
}
