package analysis

import "mongoadvisor/internal/op"

// Analyzer is one rule of the catalogue.
type Analyzer struct {
	ID       string   // "Q02": for ever
	Name     string   // "regex-case-insensitive"
	Title    string   // one line, no full stop
	Doc      Doc      // its page
	Since    string   // version that brought it
	Severity Severity // usual severity; a finding may differ by what it saw
	// Reasons are all the reasons its findings can carry, with their meaning.
	Reasons []Reason
	// Commands it wants to see, by canonical name; op.Notice for connection notices.
	Commands []string
	// Wants are traits of a request of which it must have one for the rule to be
	// called; 0 calls it for every operation of its commands.
	Wants op.Traits
	Needs op.Has
	// Failed rules see the operations, too, that the server refused to run as they
	// were sent (no permission, a wrong operator): to all others these are no work.
	Failed bool
	// Correctness rules tell of wrong results or lost data: reported at the first
	// occurrence in every profile, and never lowered because a collection is small.
	Correctness bool
	// MinCount is how often a finding must occur before it is reported whatever
	// the profile; 0 leaves it to the profile. Limit "min-count" changes it.
	MinCount int
	Limits   []Limit
	State    *StateSpec
	Off      bool // not run unless asked for by --rules
	// Run judges one operation.
	Run func(*Pass)
}

// Reason is one way a rule can fire.
type Reason struct {
	Name string // "exact"
	Doc  string // what it means, half a sentence
}

// Limit is a threshold of a rule. The value in force belongs to the engine.
type Limit struct {
	Name    string // "max-elements"
	Default int64
	Unit    string // "elements", "bytes", "operations"
	Doc     string // what it decides, half a sentence
}

// Scope says what a rule's state belongs to.
type Scope uint8

// The scopes.
const (
	ScopeGlobal Scope = iota
	ScopeNamespace
	ScopeConn
	ScopeApp
	ScopeClient // an application on one host: all connections of one pool, about
)

// StateSpec asks the engine for state. New makes one; the engine keeps at most
// Max of them (1,024 when 0), drops the least recently used and counts that.
type StateSpec struct {
	Scope Scope
	Max   int
	New   func() any
	// Shared names a state that several rules have in common, "" for one of its
	// own: those that name the same get the same, and must agree on the rest.
	// Whichever runs first takes an operation in, so such a state remembers the
	// last one it saw.
	Shared string
}

// Doc is a rule's page. The texts are Markdown paragraphs; the examples come
// from the rule's tested bad.json and good.json.
type Doc struct {
	What   string // what it sees
	Why    string // why that hurts, with the measured figures
	Fix    string // what to do instead
	Guards string // when it stays silent, and what would make it wrong
	Lesson string // which part of the catalogue or the manual it comes from
}
