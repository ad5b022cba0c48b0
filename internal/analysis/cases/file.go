// Package cases reads a rule's data files: operations as they stand on the
// wire, and beside each the findings it must cause. The test harness runs them,
// and a rule's page shows its bad and good ones.
package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// File is one data file.
type File struct {
	About      string // what it shows, one sentence
	Operations []Step
	// Findings are what a report shows at the end, with the floors of the ci
	// profile; nil when the file does not say.
	Findings []Shown
	// Limits and Bounded are settings, as on the command line.
	Limits  []string
	Bounded []string
	// Listeners are the proxy's own addresses.
	Listeners []string
}

// Step is one operation.
type Step struct {
	Conn string        // name of the connection; "a" when empty
	At   time.Duration // after the start; the step before plus one millisecond when zero
	// Repeat sends it that many times; 1 when zero.
	Repeat int
	// Nth and Of say which of how many calls of a repeated step this is, when each
	// is a step of its own; Of is 0 otherwise.
	Nth, Of int
	// After is the time since the step before; one millisecond when zero.
	After     time.Duration
	Latency   time.Duration // one millisecond when zero
	Command   bsoncore.Document
	Sequences map[string][]bsoncore.Document
	Reply     bsoncore.Document // {ok: 1} when nil
	NoReply   bool              // unacknowledged
	Gap       bool              // operations were left out before it, see op.Sample; before each when repeated
	Want      []Want
}

// Want is one expected finding of an operation. Empty parts are not compared,
// but for Reason.
type Want struct {
	Reason    string
	Fields    []string
	Namespace string
	Severity  string
	Statement *int
}

// Shown is one expected line of the report at the end.
type Shown struct {
	Reason    string
	Namespace string
	Count     int64
	Severity  string
	Status    string
}

// Load reads a file. Commands and replies are Extended JSON.
func Load(path string) (*File, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Parse reads the text of a file. Unknown keys are errors: an expectation with
// a typing error must not pass.
func Parse(raw []byte) (*File, error) {
	var in struct {
		About      string     `json:"about"`
		Operations []stepJSON `json:"operations"`
		Findings   []Shown    `json:"findings"`
		Limits     []string   `json:"limits"`
		Bounded    []string   `json:"bounded"`
		Listeners  []string   `json:"listeners"`
	}
	if err := strict(raw, &in); err != nil {
		return nil, err
	}
	f := &File{About: in.About, Findings: in.Findings, Limits: in.Limits, Bounded: in.Bounded, Listeners: in.Listeners}
	if f.About == "" || len(in.Operations) == 0 {
		return nil, fmt.Errorf("about and operations must be there")
	}
	for i, s := range in.Operations {
		steps, err := s.steps()
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", i, err)
		}
		f.Operations = append(f.Operations, steps...)
	}
	return f, nil
}

type stepJSON struct {
	Conn      string                       `json:"conn"`
	At        string                       `json:"at"`
	Every     string                       `json:"every"`
	Repeat    int                          `json:"repeat"`
	Latency   string                       `json:"latency"`
	Command   json.RawMessage              `json:"command"`
	Sequences map[string][]json.RawMessage `json:"sequences"`
	Reply     json.RawMessage              `json:"reply"`
	NoReply   bool                         `json:"no_reply"`
	Gap       bool                         `json:"gap"`
	Want      []Want                       `json:"want"`
	WantFrom  int                          `json:"want_from"`
	WantOn    []int                        `json:"want_on"`
}

// varies reports whether the calls of a repeated step differ, so that each is a
// step of its own.
func (s stepJSON) varies() bool {
	return s.Every != "" || s.WantFrom > 0 || s.WantOn != nil || s.filled(0).text() != s.filled(1).text()
}

func (s stepJSON) text() string {
	out := s.Conn + string(s.Command) + string(s.Reply)
	for _, name := range slices.Sorted(maps.Keys(s.Sequences)) {
		for _, d := range s.Sequences[name] {
			out += string(d)
		}
	}
	return out
}

// filled puts the number of a call where {n} and {hex} stand: from 0, in decimal
// and as eight hexadecimal digits.
func (s stepJSON) filled(n int) stepJSON {
	numbers := strings.NewReplacer("{n}", strconv.Itoa(n), "{hex}", fmt.Sprintf("%08x", n))
	fill := func(raw json.RawMessage) json.RawMessage {
		if raw == nil {
			return nil
		}
		return json.RawMessage(filler.ReplaceAllStringFunc(numbers.Replace(string(raw)), fillerText))
	}
	s.Conn, s.Command, s.Reply = numbers.Replace(s.Conn), fill(s.Command), fill(s.Reply)
	sequences := map[string][]json.RawMessage{}
	for name, docs := range s.Sequences {
		for _, d := range docs {
			sequences[name] = append(sequences[name], fill(d))
		}
	}
	s.Sequences = sequences
	return s
}

// filler stands for a long text: "{100KiB}".
var filler = regexp.MustCompile(`\{(\d{1,5})KiB\}`)

func fillerText(mark string) string {
	n, _ := strconv.Atoi(filler.FindStringSubmatch(mark)[1])
	return strings.Repeat("x", n<<10)
}

// steps are the calls that an operation of a file stands for.
func (s stepJSON) steps() ([]Step, error) {
	if s.Repeat < 2 || !s.varies() {
		step, err := s.filled(0).step()
		return []Step{step}, err
	}
	var every time.Duration
	if s.Every != "" {
		var err error
		if every, err = time.ParseDuration(s.Every); err != nil {
			return nil, err
		}
	}
	var out []Step
	for n := range s.Repeat {
		step, err := s.filled(n).step()
		if err != nil {
			return nil, err
		}
		step.Repeat, step.Nth, step.Of = 1, n, s.Repeat
		if n > 0 {
			step.At, step.After = 0, every
		}
		if n < s.WantFrom || s.WantOn != nil && !slices.Contains(s.WantOn, n) {
			step.Want = nil
		}
		out = append(out, step)
	}
	return out, nil
}

func (s stepJSON) step() (Step, error) {
	out := Step{Conn: s.Conn, Repeat: max(s.Repeat, 1), Latency: time.Millisecond, NoReply: s.NoReply, Gap: s.Gap, Want: s.Want}
	if out.Conn == "" {
		out.Conn = "a"
	}
	var err error
	if s.At != "" {
		if out.At, err = time.ParseDuration(s.At); err != nil {
			return out, err
		}
	}
	if s.Latency != "" {
		if out.Latency, err = time.ParseDuration(s.Latency); err != nil {
			return out, err
		}
	}
	if out.Command, err = document(s.Command); err != nil {
		return out, fmt.Errorf("command: %w", err)
	}
	for name, docs := range s.Sequences {
		if out.Sequences == nil {
			out.Sequences = map[string][]bsoncore.Document{}
		}
		for _, raw := range docs {
			d, err := document(raw)
			if err != nil {
				return out, fmt.Errorf("sequence %s: %w", name, err)
			}
			out.Sequences[name] = append(out.Sequences[name], d)
		}
	}
	if s.Reply != nil {
		if out.Reply, err = document(s.Reply); err != nil {
			return out, fmt.Errorf("reply: %w", err)
		}
	}
	return out, nil
}

// document reads Extended JSON. Keys that Extended JSON would take for types
// ($regex with $options) are written as {"$$regex": …} in the files.
func document(raw json.RawMessage) (bsoncore.Document, error) {
	if len(raw) == 0 {
		return nil, fmt.Errorf("is missing")
	}
	var d bson.D
	if err := bson.UnmarshalExtJSON(raw, false, &d); err != nil {
		return nil, err
	}
	out, err := bson.Marshal(unescape(d))
	return bsoncore.Document(out), err
}
