package sink

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mongoadvisor/internal/op"
)

// part is one line about what was seen and what was not. Label may be empty.
type part struct{ Label, Text string }

func (p part) words() string {
	if p.Label == "" {
		return p.Text
	}
	return p.Label + ": " + p.Text
}

// understood is the first sentence of every report.
func understood(c op.Coverage) string {
	what := "the traffic"
	if c.Records != nil && c.Messages == 0 {
		what = "what was logged" // nothing is known of the rest
	}
	return fmt.Sprintf("%.1f %% of %s was understood", floorTenth(100*c.Ratio), what)
}

// incomplete says in a word or two that the report is about a part of the traffic; ""
// when it is not. The lines of the coverage say which.
func incomplete(r *Report) string {
	c := r.Coverage
	switch p := c.Packets; {
	case r.Totals.Operations == 0:
		return "No operation was seen: silence says nothing here"
	case c.Records != nil && !c.Records.Complete:
		return "Slow operations only"
	case c.Ratio < 1, p != nil && (p.LostBytes > 0 || p.Gaps > 0 || p.Dropped > 0 || p.Truncated > 0 || p.OneSided > 0 || p.Incomplete):
		return "Incomplete"
	case c.Recognised > 0:
		return "Sampled under load"
	}
	return ""
}

// floorTenth rounds down: 99.96 % is not 100 %.
func floorTenth(x float64) float64 { return float64(int64(x*10)) / 10 }

// coverage words the rest of the coverage in a fixed order.
func coverage(r *Report) []part {
	c := r.Coverage
	seen := fmt.Sprintf("%s judged, source %s, profile %s", plural(r.Totals.Operations, "operation"), r.Source, r.Profile)
	if c.Messages > 0 || c.Records == nil {
		seen = fmt.Sprintf("%s messages on %s, ", thousands(c.Messages), plural(c.Connections, "connection")) + seen
	}
	out := []part{{"", seen}}
	add := func(label, text string) {
		if text != "" {
			out = append(out, part{label, text})
		}
	}
	add("", missed(c))
	if c.Packets != nil {
		add("packets", packets(c.Packets))
	}
	if c.Records != nil {
		add("records", records(c.Records))
	}
	add("applications", applications(c.Applications))
	add("", stored(r.Stored))
	return out
}

// stored words that findings are older than the process, or of others.
func stored(s *Stored) string {
	if s == nil || s.Since.IsZero() {
		return ""
	}
	of := "this process and any before it; the coverage is that of this one"
	switch {
	case s.Processes == 1:
		of = "one process"
	case s.Processes > 1:
		of = thousands(int64(s.Processes)) + " processes, whose coverage is added up here"
	case s.In == "mongodb":
		of = "all processes with this storage; the coverage is that of this one"
	}
	return "findings since " + s.Since.UTC().Format(time.DateTime) + ", of " + of
}

// list collects what was counted, leaving out what was not.
type list []string

func (l *list) add(n int64, word, what string) {
	if n > 0 {
		*l = append(*l, strings.TrimSpace(plural(n, word)+" "+what))
	}
}

func (l *list) reasons(counts map[string]int64, word, what string) {
	for _, reason := range sortedKeys(counts) {
		l.add(counts[reason], word, what+" ("+reason+")")
	}
}

func (l list) String() string { return strings.Join(l, ", ") }

// missed words what was not understood.
func missed(c op.Coverage) string {
	var l list
	l.add(c.ConnectionsUninspected, "connection", "not readable (TLS or not MongoDB)")
	l.reasons(c.Undecoded, "message", "undecoded")
	l.reasons(c.Shed, "message", "shed")
	l.add(c.Recognised, "operation", "known by their shape alone (analysis.full-rate)")
	l.add(c.RequestsUnanswered, "request", "without its reply")
	if c.RepliesUnpaired > 0 {
		l = append(l, "replies without their request: "+thousands(c.RepliesUnpaired))
	}
	l.add(c.ConnectionsMidStream, "connection", "not seen from the start")
	l.add(c.Encrypted, "operation", "with values the client encrypted")
	return l.String()
}

// packets words what a capture holds and what is missing from it.
func packets(c *op.PacketCoverage) string {
	l := list{thousands(c.Packets) + " captured (" + plural(c.Bytes, "byte") + ")"}
	l.add(c.Dropped, "packet", "dropped by the kernel or the capturing program")
	l.add(c.Truncated, "packet", "truncated")
	if c.LostBytes > 0 || c.Gaps > 0 {
		l = append(l, plural(c.LostBytes, "byte")+" lost in "+plural(c.Gaps, "gap"))
	}
	if c.Resyncs > 0 {
		l = append(l, "streams taken up again behind a gap: "+thousands(c.Resyncs))
	}
	if c.OneDirection != "" {
		l = append(l, "only "+c.OneDirection+" were captured")
	} else {
		l.add(c.OneSided, "connection", "of which one direction was seen")
	}
	l.add(c.TLS, "connection", "that look like TLS")
	l.add(c.OtherTCP, "connection", "not MongoDB's")
	l.reasons(c.Skipped, "packet", "skipped")
	if c.Incomplete {
		l = append(l, "the file ends inside a packet")
	}
	return l.String()
}

// records words what a log or a profiler export holds.
func records(c *op.RecordCoverage) string {
	l := list{fmt.Sprintf("%s read (%s), %s of operations, %s understood", thousands(c.Records), plural(c.Bytes, "byte"), thousands(c.Slow), thousands(c.Decoded))}
	l.reasons(c.Undecoded, "record", "not understood")
	l.reasons(c.Skipped, "record", "left out")
	l.add(c.Truncated, "command", "truncated by the server")
	l.add(c.Redacted, "command", "redacted by the server")
	if !c.Complete {
		l = append(l, "slow operations only")
	}
	return l.String()
}

// shownApps is how many applications are named in one line, and maxApp how many bytes
// of each name.
const (
	shownApps = 5
	maxApp    = 60
)

func applications(apps []op.AppCoverage) string {
	var l list
	for i, a := range apps {
		if i == shownApps && len(apps) > shownApps+1 {
			l = append(l, fmt.Sprintf("%d more", len(apps)-i))
			break
		}
		l = append(l, short(appName(a.App), maxApp)+" "+plural(a.Operations, "operation"))
	}
	return l.String()
}

// shownCommands is how many commands are named in one line.
const shownCommands = 12

// commandsSeen words the operations by command, the most frequent first.
func commandsSeen(counts map[string]int64) []part {
	names := sortedKeys(counts)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	var l list
	for i, name := range names {
		if i == shownCommands && len(names) > shownCommands+1 {
			l = append(l, fmt.Sprintf("%d more", len(names)-i))
			break
		}
		l = append(l, name+" "+thousands(counts[name]))
	}
	if len(l) == 0 {
		return nil
	}
	return []part{{"commands", l.String()}}
}

// appName is an application's name, or what stands for it.
func appName(name string) string {
	if name == "" {
		return "(no application name)"
	}
	return name
}
