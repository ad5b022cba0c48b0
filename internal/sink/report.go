package sink

import (
	"encoding/json"
	"fmt"
	"io"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// Report is everything one run has to say, as the API and the files hold it.
type Report struct {
	Schema    int           `json:"schema"`
	Source    op.Source     `json:"source"`
	Profile   store.Profile `json:"profile"`
	Coverage  op.Coverage   `json:"coverage"`
	Totals    store.Totals  `json:"totals"`
	NotJudged []NotJudged   `json:"not_judged"`
	Findings  []store.Entry `json:"findings"`
}

// NotJudged is a rule that could not speak, and why: silence of it is no
// all-clear.
type NotJudged struct {
	Rule string `json:"rule"`
	Why  string `json:"why"`
}

// Formats are the formats a report can be written in.
var Formats = []string{"text", "json"}

// Write writes a report in one of Formats.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "text":
		return r.Text(w)
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	return fmt.Errorf("format %q: want one of %v", format, Formats)
}
