package analysis

import (
	"time"

	"mongoadvisor/internal/op"
)

// Report is a finding as the engine completes it: what a store counts.
type Report struct {
	Rule      *Analyzer
	Finding   Finding
	Op        *op.Operation
	Time      time.Time
	NS        op.Namespace
	Shape     op.Shape
	Command   string
	Severity  Severity
	Count     int64  // operations it stands for; 0 is 1
	MinCount  int64  // the rule's own floor; 0 for none
	Silenced  string // why it is muted: an ignore entry's or comment's reason; "" when not
	Confident Confidence
	Tests     []string // during which it occurred; the engine's, for the time of the call
}
