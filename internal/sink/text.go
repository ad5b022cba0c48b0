package sink

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/fatih/color"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
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
		t.line("No findings.")
	}
	return t.w.Flush()
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

func (t *textWriter) coverage(r *Report) {
	c := r.Coverage
	t.line("%s  %.1f %% of the traffic was understood", t.paint("Coverage", color.Bold), floorTenth(100*c.Ratio))
	t.wrap("          ", "          ", fmt.Sprintf("%s messages on %s, %s judged, source %s, profile %s",
		thousands(c.Messages), plural(c.Connections, "connection"), plural(r.Totals.Operations, "operation"), r.Source, r.Profile))
	if s := missed(c); s != "" {
		t.wrap("          ", "          ", s)
	}
}

// floorTenth rounds down: 99.96 % is not 100 %.
func floorTenth(x float64) float64 { return float64(int64(x*10)) / 10 }

// missed words what was not understood, in a fixed order.
func missed(c op.Coverage) string {
	var parts []string
	add := func(n int64, word, what string) {
		if n > 0 {
			parts = append(parts, plural(n, word)+" "+what)
		}
	}
	add(c.ConnectionsUninspected, "connection", "not readable (TLS or not MongoDB)")
	for _, reason := range sortedKeys(c.Undecoded) {
		add(c.Undecoded[reason], "message", "undecoded ("+reason+")")
	}
	for _, reason := range sortedKeys(c.Shed) {
		add(c.Shed[reason], "message", "shed ("+reason+")")
	}
	add(c.Recognised, "operation", "known by their shape alone (analysis.full-rate)")
	add(c.RequestsUnanswered, "request", "without its reply")
	if c.RepliesUnpaired > 0 {
		parts = append(parts, "replies without their request: "+thousands(c.RepliesUnpaired))
	}
	return strings.Join(parts, ", ")
}

func (t *textWriter) summary(r *Report) {
	counts := map[analysis.Severity]int{}
	muted, fixed := 0, 0
	for _, e := range r.Findings {
		switch e.Status {
		case store.Muted:
			muted++
		case store.Fixed:
			fixed++
		default:
			counts[e.Severity]++
		}
	}
	var parts []string
	for s := analysis.Critical; ; s-- {
		if counts[s] > 0 {
			parts = append(parts, t.paint(fmt.Sprintf("%d %s", counts[s], s), severityColor[s]...))
		}
		if s == analysis.Info {
			break
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "none open")
	}
	if muted > 0 {
		parts = append(parts, fmt.Sprintf("%d muted", muted))
	}
	if fixed > 0 {
		parts = append(parts, fmt.Sprintf("%d fixed", fixed))
	}
	if n := r.Totals.Suppressed; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more below their floor", n))
	}
	t.wrap(t.paint("Findings", color.Bold)+"  ", "          ", strings.Join(parts, ", "))
	for _, words := range notJudged(r.NotJudged) {
		t.wrap("          ", "          ", words)
	}
	for _, i := range r.Ignores {
		where := i.Rule
		for _, part := range []string{i.Namespace, i.Shape} {
			if part != "" {
				where += " " + part
			}
		}
		words := "ignore entry " + where + ": silenced nothing"
		if i.Why == "expired" {
			words = "ignore entry " + where + ": expired on " + i.Until
		}
		t.wrap("          ", "          ", words)
	}
	for _, k := range r.BaselineGone {
		t.wrap("          ", "          ", "gone since the baseline: "+k.Rule+" "+k.Reason+" on "+k.Namespace+" ("+k.Fingerprint+")")
	}
}

// notJudged words one line for each cause: "I01, I02 not judged: …".
func notJudged(list []NotJudged) []string {
	var whys []string
	rules := map[string][]string{}
	for _, n := range list {
		if rules[n.Why] == nil {
			whys = append(whys, n.Why)
		}
		rules[n.Why] = append(rules[n.Why], n.Rule)
	}
	for i, why := range whys {
		whys[i] = strings.Join(rules[why], ", ") + " not judged: " + why
	}
	return whys
}

// finding writes one finding: what, where, how often, who, why, fix.
func (t *textWriter) finding(n int, e store.Entry) {
	t.line("")
	status := ""
	if e.Status != store.Open {
		status = ", " + string(e.Status)
	}
	t.line("%s %s %s (%s%s)", t.paint(fmt.Sprintf("%2d.", n), color.Bold),
		t.paint(strings.ToUpper(e.Severity.String()), severityColor[e.Severity]...),
		t.paint(e.Rule+" "+e.Name, color.Bold), e.Reason, status)
	where := e.Namespace
	if where == "" {
		where = "(connection)"
	}
	if len(e.Fields) > 0 {
		where += "  " + strings.Join(e.Fields, ", ")
	}
	const pad = "              "
	label := func(name, text string) { t.wrap(fmt.Sprintf("    %-10s", name), pad, text) }
	label("where", where)
	label("what", e.Message)
	label("query", e.Command+" "+e.Shape)
	label("seen", seen(e))
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
		name := c.App
		if name == "" {
			name = "(no application name)"
		}
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
