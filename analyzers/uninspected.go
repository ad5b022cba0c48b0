package analyzers

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// Uninspected is a rule of the catalogue that no traffic can show: it takes the
// server's own counters. It is listed, and reported as not judged, so that the
// silence about it is not taken for an all-clear.
type Uninspected struct {
	ID, Name, Title string
	Severity        analysis.Severity
	Needs           op.Has
}

// NeedInspection lists them in the order of the catalogue.
func NeedInspection() []Uninspected {
	return []Uninspected{
		{"I01", "unused-index", "Index that no query uses", analysis.Low, op.HasSnapshot},
		{"I02", "redundant-index", "Index that is the beginning of another", analysis.Low, op.HasSnapshot},
		{"I03", "index-overload", "More indexes than a collection can bear", analysis.Medium, op.HasSnapshot},
	}
}
