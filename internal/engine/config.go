package engine

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// Config is what an engine is made of. The zero value runs no rule.
type Config struct {
	Rules []*analysis.Analyzer // those to run, see Select
	// Limits in force, by "W01.max-elements"; what is absent has its default.
	Limits map[string]int64
	Ignore []Ignore
	// Bounded names arrays that the business bounds: "shop.customers.addresses",
	// or "addresses" in any collection.
	Bounded []string
	// Listeners are the addresses clients reach us by.
	Listeners func() []string
	// Recorder takes what is found; it must not be nil.
	Recorder Recorder
	// Adopted is called by Judge before the first operation under a configuration that
	// took the place of another: nothing is reported under the old one any more. nil:
	// nobody wants to know.
	Adopted func()
}

// Recorder takes what the engine sees. A store is one.
type Recorder interface {
	Observe(*op.Operation)  // an operation that counts as workload
	Record(analysis.Report) // a finding of it
}

// Ignore silences findings, with a reason and until a date.
type Ignore struct {
	Rule      string    // "Q02"
	Namespace string    // "shop.*"; path.Match pattern, empty for all
	Shape     string    // shape id in hexadecimal; empty for all
	Reason    string    // required: somebody will ask
	Until     time.Time // zero: for ever
}

// matches compares with the traffic's clock.
func (i Ignore) matches(r *analysis.Report) bool {
	if i.Rule != r.Rule.ID || !i.Until.IsZero() && !r.Time.Before(i.Until) {
		return false
	}
	if i.Namespace != "" {
		if ok, _ := path.Match(i.Namespace, r.NS.String()); !ok {
			return false
		}
	}
	return i.Shape == "" || i.Shape == r.Shape.String()
}

// Select picks the rules to run: those that are on by default, changed by
// "+I05", "-O06". A list that starts with a bare ID runs just the named ones.
func Select(rules []*analysis.Analyzer, changes []string) ([]*analysis.Analyzer, error) {
	on := map[string]bool{}
	only := len(changes) > 0 && changes[0] != "" && changes[0][0] != '+' && changes[0][0] != '-'
	for _, a := range rules {
		on[a.ID] = !a.Off && !only
	}
	for _, c := range changes {
		id := strings.TrimLeft(c, "+-")
		if _, known := on[id]; !known {
			return nil, fmt.Errorf("rules: %q names no rule; want +ID, -ID or ID, as `mongoadvisor rules` lists them", c)
		}
		on[id] = !strings.HasPrefix(c, "-")
	}
	return slices.DeleteFunc(slices.Clone(rules), func(a *analysis.Analyzer) bool { return !on[a.ID] }), nil
}

// ParseLimits reads "W01.max-elements=500". The error names the key and what
// it takes.
func ParseLimits(rules []*analysis.Analyzer, settings []string) (map[string]int64, error) {
	known := map[string]bool{}
	for _, a := range rules {
		known[a.ID+"."+analysis.MinCountLimit] = true
		for _, l := range a.Limits {
			known[a.ID+"."+l.Name] = true
		}
	}
	out := map[string]int64{}
	for _, s := range settings {
		key, text, ok := strings.Cut(s, "=")
		if !ok || !known[key] {
			return nil, fmt.Errorf("limit %q: want RULE.NAME=NUMBER with a name from `mongoadvisor rules RULE`", s)
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("limit %s: %q is not a whole number of 0 or more", key, text)
		}
		out[key] = n
	}
	return out, nil
}
