package sink

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// textWidth is the width of the report in columns. Commands to copy are not
// broken, so they may be wider.
const textWidth = 80

var severityColor = map[analysis.Severity][]color.Attribute{
	analysis.Critical: {color.FgRed, color.Bold},
	analysis.High:     {color.FgRed},
	analysis.Medium:   {color.FgYellow},
	analysis.Low:      {color.FgCyan},
	analysis.Info:     {color.FgBlue},
}

// Text writes the report for people: coverage first, then the findings, the
// worst first. Colours only on a terminal, and not when NO_COLOR is set.
func (r *Report) Text(w io.Writer) error {
	t := &textWriter{w: bufio.NewWriter(w), said: map[string]int{}, colours: w == os.Stdout && !color.NoColor}
	t.coverage(r)
	t.summary(r)
	for i, e := range r.Findings {
		t.finding(i+1, e)
	}
	if len(r.Findings) == 0 {
		t.line("")
		t.line("%s", nothing(r))
	}
	return t.w.Flush()
}

// nothing words a report without findings: no traffic is no all-clear.
func nothing(r *Report) string {
	if r.Totals.Operations == 0 {
		return "No findings: no operation was seen, so silence says nothing."
	}
	return "No findings."
}

type textWriter struct {
	w       *bufio.Writer
	said    map[string]int // where an advice was first given, so that it is given once
	colours bool
}

// paint colours a text, if this report is coloured at all.
func (t *textWriter) paint(text string, attributes ...color.Attribute) string {
	if !t.colours {
		return text
	}
	return color.New(attributes...).Sprint(text)
}

func (t *textWriter) line(format string, args ...any) {
	fmt.Fprintf(t.w, format+"\n", args...)
}

// indent is under what a part of the head says.
const indent = "          "

func (t *textWriter) coverage(r *Report) {
	t.line("%s  %s", t.paint("Coverage", color.Bold), understood(r.Coverage))
	for _, part := range coverage(r) {
		t.wrap(indent, indent, part.words())
	}
}

func (t *textWriter) summary(r *Report) {
	var parts []string
	c := count(r.Findings)
	for n := range c.open {
		if severity := analysis.Critical - analysis.Severity(n); c.open[severity] > 0 {
			parts = append(parts, t.paint(fmt.Sprintf("%d %s", c.open[severity], severity), severityColor[severity]...))
		}
	}
	parts = append(parts, c.rest(r.Totals)...)
	t.wrap(t.paint("Findings", color.Bold)+"  ", indent, strings.Join(parts, ", "))
	for _, words := range slices.Concat(notJudged(r.NotJudged), remarks(r)) {
		t.wrap(indent, indent, words)
	}
}

// finding writes one finding with its number.
func (t *textWriter) finding(n int, e store.Entry) {
	t.line("")
	status := ""
	if e.Status != store.Open {
		status = ", " + string(e.Status)
	}
	t.line("%s %s %s (%s%s)", t.paint(fmt.Sprintf("%2d.", n), color.Bold),
		t.paint(strings.ToUpper(e.Severity.String()), severityColor[e.Severity]...),
		t.paint(e.Rule+" "+e.Name, color.Bold), e.Reason, status)
	t.body(n, e)
}

// paragraph is one finding without its heading, for formats that hold texts.
func paragraph(e store.Entry) string {
	var b strings.Builder
	t := &textWriter{w: bufio.NewWriter(&b), said: map[string]int{}}
	t.body(1, e)
	_ = t.w.Flush() // to memory
	return b.String()
}

// body says what, where, how often, who, why, and what to do.
func (t *textWriter) body(n int, e store.Entry) {
	where := place(e)
	if len(e.Fields) > 0 {
		where += "  " + strings.Join(e.Fields, ", ")
	}
	const pad = "              "
	label := func(name, text string) { t.wrap(fmt.Sprintf("    %-10s", name), pad, text) }
	label("where", where)
	label("what", e.Message)
	label("query", e.Command+" "+e.Shape)
	label("seen", seen(e))
	if tests := during(e.Tests); tests != "" {
		label("in", tests)
	}
	if who := clients(e.Clients); who != "" {
		label("by", who)
	}
	if e.Comment != "" {
		label("comment", e.Comment)
	}
	if first := t.said[e.Advice]; first > 0 {
		label("why", fmt.Sprintf("as in %d.", first))
	} else {
		t.said[e.Advice] = n
		label("why", e.Advice)
	}
	label("fix", e.Fix.Text)
	for _, l := range strings.Split(e.Fix.Mongosh, "\n") {
		if l != "" {
			t.line("%s%s", pad, l)
		}
	}
	if e.Caveat != "" {
		label("unless", e.Caveat)
	}
	if e.MutedBy != "" {
		label("muted", e.MutedBy)
	}
	label("more", "mongoadvisor rules "+e.Rule+" (fingerprint "+e.Fingerprint+")")
}

// seen words how often, since when, and how slow.
func seen(e store.Entry) string {
	s := plural(e.Count, "time")
	if e.LastSeen.After(e.FirstSeen) {
		end := time.TimeOnly
		if !e.LastSeen.Truncate(24 * time.Hour).Equal(e.FirstSeen.Truncate(24 * time.Hour)) {
			end = time.DateTime
		}
		s += fmt.Sprintf(" from %s to %s", e.FirstSeen.Format(time.DateTime), e.LastSeen.Format(end))
	} else {
		s += " at " + e.FirstSeen.Format("2006-01-02 15:04:05")
	}
	if l := e.LatencyMS; l != nil {
		s += fmt.Sprintf(", p50 %g ms, p95 %g ms, max %g ms", l.P50, l.P95, l.Max)
	}
	for _, x := range e.Evidence {
		if x.Name == "count" || x.Limit == 0 {
			continue
		}
		unit := ""
		if x.Unit == "%" {
			unit = " %"
		}
		s += fmt.Sprintf("; %s %s%s (limit %s%s)", strings.ReplaceAll(x.Name, "_", " "), thousands(x.Value), unit, thousands(x.Limit), unit)
	}
	return s + fmt.Sprintf("; %s", e.Confidence)
}

func clients(list []store.Client) string {
	var parts []string
	for i, c := range list {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("%d more", len(list)-3))
			break
		}
		name := appName(c.App)
		if c.Driver != "" {
			name += " [" + c.Driver + "]"
		}
		if len(list) > 1 {
			name += fmt.Sprintf(" %s×", thousands(c.Count))
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ", ")
}
