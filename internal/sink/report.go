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
	// Ignores are the ignore entries and marks that do nothing, or that nobody can explain.
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
	// Baseline is the file of what is accepted, for formats that want a line of a file;
	// nil without one.
	Baseline *BaselineFile `json:"-"`
	// Version of the program, for the formats that have a place for it.
	Version string `json:"-"`
}

// BaselineFile is where the baseline lies.
type BaselineFile struct {
	Path  string         // from the working directory, with forward slashes
	Lines map[string]int // of the findings that are in it, from 1, by fingerprint
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

// IdleIgnore is an ignore entry, or the mark in a comment, that is to be looked at, and
// why.
type IdleIgnore struct {
	Mark      bool   `json:"mark,omitempty"` // in a comment
	Rule      string `json:"rule"`           // as the mark says it
	Namespace string `json:"namespace,omitempty"`
	Shape     string `json:"shape,omitempty"`
	Reason    string `json:"reason"`
	Until     string `json:"until,omitempty"` // 2027-01-31
	Why       string `json:"why"`             // one of those below
}

// Why an entry or a mark is to be looked at.
const (
	IgnoreExpired  = "expired"
	IgnoreUnused   = "unused"
	IgnoreNoRule   = "no-rule"   // a mark names what is none
	IgnoreNoReason = "no-reason" // a mark gives none
)

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
