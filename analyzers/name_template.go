package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// nameTemplate is a collection's name with its slots named.
type nameTemplate struct {
	text  string // "events_<n>_<n>_<n>", "carts-<id>"
	base  string // what is left without the slots: "events", "carts"
	dated bool   // the slots look like a date
	// counted: all that differs is a small number at the end, and nothing says that
	// it is a tenant's or a day's.
	counted bool
}

// owners are words for whom or what a number behind them stands for.
var owners = map[string]bool{
	"tenant": true, "customer": true, "client": true, "org": true, "organization": true, "organisation": true, "company": true, "account": true, "user": true, "team": true,
	"shop": true, "store": true, "site": true, "workspace": true, "project": true, "school": true, "room": true, "day": true, "week": true, "month": true, "year": true, "hour": true,
}

// maxCounter is how many digits a number that only counts has.
const maxCounter = 3

// slot is the kind of a segment: "" for a word, "<n>" for a number, "<id>" for
// another value.
func slot(segment string) string {
	switch {
	case segment == "" || !strings.ContainsAny(segment, "0123456789"):
		return ""
	case strings.Trim(segment, "0123456789") == "":
		return "<n>"
	case uuid(segment):
		return "<id>"
	case len(segment) >= 6 && op.LooksLikeData(segment), suffix(segment):
		return "<id>"
	}
	return ""
}

// suffix reports whether a segment is letters and digits as generators of random
// names make them: "ab12cd", "x7k2p9"; not "s3", "oauth2" or "v2".
func suffix(segment string) bool {
	changes, digits := 0, 0
	for i := range len(segment) {
		digit := segment[i] >= '0' && segment[i] <= '9'
		if digit {
			digits++
		}
		if i > 0 && digit != (segment[i-1] >= '0' && segment[i-1] <= '9') {
			changes++
		}
	}
	return len(segment) >= 6 && digits >= 2 && changes >= 2
}

func separator(c byte) bool { return c == '_' || c == '-' || c == '.' || c == ':' }

// segments calls each for the segments of a name and the separators after them.
func segments(name string, each func(segment, separator string)) {
	start := 0
	for i := 0; i <= len(name); i++ {
		if i == start && uuid(name[i:]) {
			i += uuidLength
		}
		switch {
		case i == len(name):
			each(name[start:], "")
		case separator(name[i]):
			each(name[start:i], name[i:i+1])
			start = i + 1
		}
	}
}

const uuidLength = 36

// uuid reports whether s begins with a UUID that ends a segment.
func uuid(s string) bool {
	if len(s) < uuidLength || len(s) > uuidLength && !separator(s[uuidLength]) {
		return false
	}
	for i := range uuidLength {
		c := s[i] | 0x20
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (s[i] == '-') || !dash && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// templated is the template of a name, with its hash; ok is false when it has no
// slot or nothing but slots.
func templated(name string) (t nameTemplate, hash uint64, ok bool) {
	if !strings.ContainsAny(name, "0123456789") {
		return t, 0, false
	}
	t = templateOf(name)
	return t, op.HashString(t.text), t.text != name && t.base != ""
}

func templateOf(name string) nameTemplate {
	if len(name) > 255 {
		return nameTemplate{text: name} // no server has it
	}
	var t nameTemplate
	var text, base strings.Builder
	digits := ""
	segments(name, func(segment, sep string) {
		word := segment
		// "events20260101": digits behind a word are a slot, too
		if cut := strings.TrimRight(segment, "0123456789"); len(cut) > 1 && len(segment)-len(cut) >= 2 && !strings.ContainsAny(cut, "0123456789") && !op.LooksLikeData(cut) {
			digits += segment[len(cut):]
			segment, word = cut+"<n>", cut
		} else if s := slot(segment); s != "" {
			if s == "<n>" {
				digits += segment
			}
			segment, word = s, ""
		}
		text.WriteString(segment + sep)
		if word != "" {
			if base.Len() > 0 {
				base.WriteByte('_')
			}
			base.WriteString(word)
		}
	})
	t.text, t.base = text.String(), base.String()
	t.counted = strings.Count(t.text, "<") == 1 && strings.HasSuffix(t.text, "<n>") && len(digits) <= maxCounter && !owners[singular(strings.ToLower(t.base))]
	t.dated = len(digits) >= 4 && (strings.HasPrefix(digits, "20") || strings.HasPrefix(digits, "19")) && len(digits) <= 14
	return t
}

// passing reports whether a name says that its collection does not stay.
func passing(name string) bool {
	found := false
	segments(name, func(segment, _ string) {
		switch strings.ToLower(segment) {
		case "test", "tests", "testing", "spec", "tmp", "temp", "temporary", "fixture", "fixtures", "scratch":
			found = true
		}
	})
	return found
}

// fix puts all into one collection.
func (t nameTemplate) fix() analysis.Fix {
	one := collName(t.base)
	if t.dated {
		return analysis.Fix{
			Text: "One collection for all days, with the date in a field and an index on it. A TTL index deletes what is old, as dropping a day's collection did; measurements can go into a time-series collection instead. Copy the old collections with $merge.",
			Mongosh: one + ".createIndex({ day: 1 }, { expireAfterSeconds: <seconds to keep> })\n" +
				one + ".insertOne({ day: <day>, ...<document> })",
		}
	}
	return analysis.Fix{
		Text: "One collection for all, with what the name says in a field, and indexes that begin with it. To keep tenants apart for safety, give each a database and a user of its own. Copy the old collections with $merge.",
		Mongosh: one + ".createIndex({ owner: 1, <field of the queries>: 1 })\n" +
			one + ".insertOne({ owner: <owner>, ...<document> })\n" +
			one + ".find({ owner: <owner>, <field of the queries>: <value> })",
	}
}
