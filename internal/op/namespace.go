package op

import "strings"

// Namespace is a database and a collection. Coll is empty for commands on the
// database itself.
type Namespace struct {
	DB, Coll string
}

// ParseNamespace splits "db.coll" at the first dot, as the server does.
func ParseNamespace(s string) Namespace {
	db, coll, _ := strings.Cut(s, ".")
	return Namespace{DB: db, Coll: coll}
}

// maxNamespace is the server's own limit for a namespace, in bytes. It answers a
// find on a longer one all the same.
const maxNamespace = 255

// String gives "db.coll", or "db" alone, cut at maxNamespace.
func (n Namespace) String() string {
	s := n.DB
	if n.Coll != "" {
		s = n.DB + "." + n.Coll
	}
	if len(s) > maxNamespace {
		s = strings.Clone(s[:maxNamespace])
	}
	return s
}

// Cut is the namespace as a key of a map, no longer than maxNamespace.
func (n Namespace) Cut() Namespace {
	if room := maxNamespace - len(n.DB); room < 0 {
		return Namespace{DB: n.DB[:maxNamespace]}
	} else if len(n.Coll) > room {
		n.Coll = n.Coll[:room]
	}
	return n
}

// Clone is a copy that aliases nothing.
func (n Namespace) Clone() Namespace {
	return Namespace{DB: strings.Clone(n.DB), Coll: strings.Clone(n.Coll)}
}

// Internal reports whether the server or its tools own the namespace: nothing a
// user could fix by a schema change lives there.
func (n Namespace) Internal() bool {
	switch n.DB {
	case "admin", "config", "local":
		return true
	}
	return strings.HasPrefix(n.Coll, "system.") || strings.HasPrefix(n.Coll, "enxcol_.")
}

// Template gives the namespace with what looks like a date, a tenant or a
// number replaced, so that "events_2026_11_30" and "events_2026_12_01" are one
// place in a fingerprint.
func (n Namespace) Template() string {
	n = ParseNamespace(n.String())
	return templateName(n.DB) + "." + templateName(n.Coll)
}

// templateName replaces each run of digits that is at least two long (or stands
// between separators) by "<n>".
func templateName(s string) string {
	if !hasDigit(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if !isDigit(s[i]) {
			b.WriteByte(s[i])
			i++
			continue
		}
		j := i
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		alone := (i == 0 || isSeparator(s[i-1])) && (j == len(s) || isSeparator(s[j]))
		if j-i >= 2 || alone {
			b.WriteString("<n>")
		} else {
			b.WriteString(s[i:j])
		}
		i = j
	}
	return b.String()
}

func isDigit(c byte) bool     { return c >= '0' && c <= '9' }
func isSeparator(c byte) bool { return c == '_' || c == '-' || c == '.' }

func hasDigit(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}
