package analysis

import "mongoadvisor/internal/op"

// Confidence says what a finding rests on.
type Confidence string

// The confidences, in rising order.
const (
	Suspected Confidence = "suspected" // seen in requests only
	Observed  Confidence = "observed"  // replies or latency support it
	Confirmed Confidence = "confirmed" // the server itself says so
)

// Over reports whether c rests on more than other.
func (c Confidence) Over(other Confidence) bool { return c.rank() > other.rank() }

func (c Confidence) rank() int {
	switch c {
	case Observed:
		return 1
	case Confirmed:
		return 2
	}
	return 0
}

// Finding is what a rule says of one operation. The rule fills what it knows;
// the engine adds rule, namespace, shape, time and client.
type Finding struct {
	Reason  string
	Message string // one line: what was seen, with the field's name
	Advice  string // why it matters here, one or two sentences
	Fix     Fix
	Fields  []string // cleaned field paths
	// Evidence are the rule's own figures; count, times and latency are kept by
	// the store.
	Evidence []Evidence
	Caveat   string // what would make the finding wrong here
	// Severity differs from the rule's usual one when Override is set.
	Severity   Severity
	Override   bool
	Confidence Confidence // Suspected when empty
	// NS and Shape replace those of the statement when the finding belongs to a
	// part of it, as the repeated $lookup does.
	NS    op.Namespace
	Shape op.Shape
	// Statement is the index of the statement judged.
	Statement int
}

// Fix is what to do, in words and as mongosh text that names the observed
// collection and fields.
type Fix struct {
	Text    string `json:"text"`
	Mongosh string `json:"mongosh,omitempty"`
}

// Evidence is one figure and what it is compared with.
type Evidence struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Limit int64  `json:"limit,omitempty"`
	Unit  string `json:"unit,omitempty"`
}
