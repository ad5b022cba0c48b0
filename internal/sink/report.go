package sink

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// Report is everything one run has to say, as the API and the files hold it.
type Report struct {
	Schema   int           `json:"schema"`
	Source   op.Source     `json:"source"`
	Profile  store.Profile `json:"profile"`
	Coverage op.Coverage   `json:"coverage"`
	// Stored says that findings are also of earlier processes, or of others; nil: they are
	// of this one.
	Stored *Stored `json:"stored,omitempty"`
	// Commands are the operations by their command, the handshakes among them.
	Commands  map[string]int64 `json:"commands,omitempty"`
	Totals    store.Totals     `json:"totals"`
	NotJudged []NotJudged      `json:"not_judged"`
	// Ignores are the ignore entries that do nothing any more.
	Ignores []IdleIgnore `json:"ignores,omitempty"`
	// BaselineGone is what the baseline has and the traffic did not show.
	BaselineGone []store.Known `json:"baseline_gone,omitempty"`
	Findings     []store.Entry `json:"findings"`

	// Rules are those that ran, for the formats that list what was silent and explain
	// what was not. Not in the JSON, since they are of the program and not of the run.
	Rules []*analysis.Analyzer `json:"-"`
	// FailOn is the severity from which on a finding is a failed test. The zero value
	// makes every one that is open a failure.
	FailOn analysis.Severity `json:"-"`
	// Version of the program, for the formats that have a place for it.
	Version string `json:"-"`
}

// Stored is where findings are kept beyond a process.
type Stored struct {
	In    string    `json:"in"`    // "disk" or "mongodb"
	Since time.Time `json:"since"` // of the first operation
	// Processes are those whose coverage is added up in the report; 0: it is that of the
	// one process that reports.
	Processes int `json:"processes,omitempty"`
}

// NotJudged is a rule that could not speak, and why: silence of it is no
// all-clear.
type NotJudged struct {
	Rule string `json:"rule"`
	Why  string `json:"why"`
}

// IdleIgnore is an ignore entry that silences nothing, and why.
type IdleIgnore struct {
	Rule      string `json:"rule"`
	Namespace string `json:"namespace,omitempty"`
	Shape     string `json:"shape,omitempty"`
	Reason    string `json:"reason"`
	Until     string `json:"until,omitempty"` // 2027-01-31
	Why       string `json:"why"`             // "expired" or "unused"
}

// Formats are the formats a report can be written in.
var Formats = []string{"text", "json", "html", "junit", "sarif", "github"}

// Write writes a report in one of Formats.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "text":
		return r.clean().Text(w)
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	case "html":
		return r.clean().html(w)
	case "junit":
		return r.clean().junit(w)
	case "sarif":
		return r.clean().sarif(w)
	case "github":
		return r.clean().github(w)
	}
	return fmt.Errorf("format %q: want one of %s", format, strings.Join(Formats, ", "))
}
