package store

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// State is everything a store knows, as it is kept outside the process: on disk, or
// by several processes together.
type State struct {
	// Schema is that of the form; see SavedSchema.
	Schema  int       `json:"schema"`
	Version string    `json:"version"`  // of the program
	SavedAt time.Time `json:"saved_at"` // by the wall's clock
	Began   time.Time `json:"began"`    // when the first operation was seen, by the traffic's
	// Source, Profile and NotJudged are those of the process that saved it last.
	Source  op.Source `json:"source"`
	Profile Profile   `json:"profile"`
	// Coverage is that of all processes that have saved it together, Processes how many.
	Coverage  op.Coverage       `json:"coverage"`
	Processes int               `json:"processes"`
	NotJudged map[string]string `json:"not_judged,omitempty"` // why, by rule

	Workload   Workload         `json:"workload"`
	Namespaces []SavedNamespace `json:"namespaces"` // those of the findings
	Findings   []Saved          `json:"findings"`
}

// SavedSchema is the version of State. One that is higher than this is not read.
const SavedSchema = 1

// Workload sums operations up.
type Workload struct {
	Operations int64         `json:"operations"`
	Latency    time.Duration `json:"latency_ns"`
	Last       time.Time     `json:"last"` // by the traffic's clock
}

// SavedNamespace is what one collection's traffic adds up to.
type SavedNamespace struct {
	Database   string `json:"database"`
	Collection string `json:"collection"`
	Workload
}

// Saved is a finding as it is kept outside the process. Hashes of values are not in
// it: of documents it says how many there were.
type Saved struct {
	Fingerprint string              `json:"fingerprint"`
	Rule        string              `json:"rule"`
	Name        string              `json:"name"`
	Correctness bool                `json:"correctness,omitempty"` // of the rule
	Reason      string              `json:"reason"`
	Severity    analysis.Severity   `json:"severity"` // the highest that was seen
	Confidence  analysis.Confidence `json:"confidence"`
	Database    string              `json:"database"`
	Collection  string              `json:"collection"`
	Command     string              `json:"command"`
	Shape       string              `json:"shape"`
	ShapeID     uint64              `json:"shape_id,string"`
	Fields      []string            `json:"fields,omitempty"`
	Message     string              `json:"message"`
	Advice      string              `json:"advice"`
	Fix         analysis.Fix        `json:"fix"`
	Caveat      string              `json:"caveat,omitempty"`
	Evidence    []analysis.Evidence `json:"evidence,omitempty"`
	Comment     string              `json:"comment,omitempty"`
	Silenced    string              `json:"silenced,omitempty"` // reason of the last silenced occurrence
	MinCount    int64               `json:"min_count,omitempty"`
	First       time.Time           `json:"first"`
	Last        time.Time           `json:"last"`
	Figures     Figures             `json:"figures"`
	Clients     []Client            `json:"clients,omitempty"`
	Tests       []Test              `json:"tests,omitempty"`     // on disk; a shared place has none
	Documents   int64               `json:"documents,omitempty"` // distinct ones, at least
	MaxReply    int64               `json:"max_reply_bytes,omitempty"`
	Slowest     time.Duration       `json:"slowest_ns,omitempty"`
	// FixedAt and RegressedAt are when it was last found to be fixed, and to be back;
	// zero: never.
	FixedAt     time.Time `json:"fixed_at,omitzero"`
	RegressedAt time.Time `json:"regressed_at,omitzero"`
	// ToldAt is when the sinks were last told, with ToldSeverity; zero: never.
	ToldAt       time.Time         `json:"told_at,omitzero"`
	ToldSeverity analysis.Severity `json:"told_severity"`
	Series       *SavedSeries      `json:"series,omitempty"`
}

// SavedSeries is a finding over time. The three lists have an element for each
// stretch, the first of which begins First widths after 1970.
type SavedSeries struct {
	Width   time.Duration `json:"width_ns"`
	First   int64         `json:"first"`
	Figure  string        `json:"figure,omitempty"`
	Counts  []uint32      `json:"counts"`
	Slowest []uint32      `json:"slowest_us"`
	Values  []int64       `json:"values"`
}
