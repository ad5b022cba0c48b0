package sink

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// maxAnnotations is how many annotations of each level GitHub shows for one step.
// It drops the rest without a word.
const maxAnnotations = 10

// maxAnnotation is how many bytes of a message are worth showing in an annotation.
const maxAnnotation = 2 << 10

// annotations are the workflow commands by severity.
var annotations = [...]string{analysis.Info: "notice", analysis.Low: "notice", analysis.Medium: "warning", analysis.High: "error", analysis.Critical: "error"}

// github writes the open findings as workflow commands, which GitHub Actions
// turns into annotations: the worst first, then one line that says what was seen
// and how many more there are.
func (r *Report) github(w io.Writer) error {
	out := bufio.NewWriter(w)
	shown := map[string]int{"notice": 1} // the last line is one
	left := 0
	for _, e := range r.Findings {
		if !open(e) {
			continue
		}
		level := annotations[min(e.Severity, analysis.Critical)]
		if shown[level] == maxAnnotations {
			left++
			continue
		}
		shown[level]++
		title := fmt.Sprintf("%s %s: %s", e.Rule, e.Name, short(place(e), 200))
		fmt.Fprintf(out, "::%s %stitle=%s::%s\n", level, callSite(e.Comment).properties(), property(title), data(short(annotation(e), maxAnnotation)))
	}
	words := "Findings: " + count(r.Findings).words(r.Totals)
	if left > 0 {
		words += fmt.Sprintf(". %d of them are not shown above: GitHub shows %d of each level for one step", left, maxAnnotations)
	}
	words += "\n"
	if why := incomplete(r); why != "" {
		words += why + ". "
	}
	words += understood(r.Coverage)
	for _, p := range coverage(r) {
		words += "\n" + p.words()
	}
	for _, s := range slices.Concat(notJudged(r.NotJudged), fewRemarks(r)) {
		words += "\n" + s
	}
	fmt.Fprintf(out, "::notice title=mongoadvisor::%s\n", data(words))
	return out.Flush()
}

// annotation is the text of one finding.
func annotation(e store.Entry) string {
	s := e.Message + "\n" + seen(e)
	if tests := during(e.Tests); tests != "" {
		s += "\nin " + tests
	}
	if who := clients(e.Clients); who != "" {
		s += "\nby " + who
	}
	s += "\n" + e.Fix.Text
	if e.Fix.Mongosh != "" {
		s += "\n" + e.Fix.Mongosh
	}
	if e.Caveat != "" {
		s += "\nunless " + e.Caveat
	}
	return s + "\nmongoadvisor rules " + e.Rule + ", fingerprint " + e.Fingerprint
}

// data escapes the message of a workflow command, and property what stands before
// it, as the toolkit of GitHub Actions does.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace
)
