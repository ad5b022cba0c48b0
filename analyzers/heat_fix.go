package analyzers

import (
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// hotFix adds sums instead of ones, or sets a value once for many.
func hotFix(s *op.Statement, reason string) analysis.Fix {
	fix := analysis.Fix{Text: "Keep the newest value in the program and write it once a second, or once for many events."}
	operator, value := "$set", "<newest value>"
	if reason == "counter" {
		fix.Text = "Count in the program and add the sum once a second, or once for a hundred events. Where that may lose nothing, spread the counter over a few documents, chosen at random, and add them up when reading."
		operator, value = "$inc", "<sum>"
	}
	if path, ok := keptShort(s); ok {
		fix.Text = "Gather the elements in the program and push them together once a second, with $each."
		if key := indexable(op.Path(path)); key != "" {
			fix.Mongosh = coll(s.NS) + ".updateOne({ _id: <_id> }, { $push: { " + field(key) + ": { $each: [<elements>], $slice: -10 } } })"
		}
		return fix
	}
	var parts []string
	for c := range changes(s.Update) {
		path := indexable(op.Path(c.Path))
		if c.Operator == operator && path != "" && len(parts) < maxUsed {
			parts = append(parts, field(path)+": "+value)
		}
	}
	if len(parts) > 0 {
		fix.Mongosh = coll(s.NS) + ".updateOne({ _id: <_id> }, { " + operator + ": { " + strings.Join(parts, ", ") + " } })"
	}
	return fix
}

// keptShort is the array that an update pushes to and cuts, when it does nothing
// that could be added up.
func keptShort(s *op.Statement) (path string, ok bool) {
	for c := range changes(s.Update) {
		switch c.Operator {
		case "$push":
			path, ok = c.Path, true
		case "$inc":
			return "", false
		}
	}
	return path, ok
}
