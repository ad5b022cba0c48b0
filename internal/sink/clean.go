package sink

import (
	"maps"
	"slices"
	"strings"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// clean is a copy without what a terminal would obey and a reader would not see:
// control characters, marks that turn the direction of text, broken UTF-8. A store
// does that for what it sees itself; a report may also come from a file or another
// machine. Line breaks stay where texts have them, and nowhere else.
func (r *Report) clean() *Report {
	out := *r
	out.Findings = slices.Clone(r.Findings)
	for i := range out.Findings {
		cleanEntry(&out.Findings[i])
	}
	out.NotJudged = slices.Clone(r.NotJudged)
	for i, n := range out.NotJudged {
		out.NotJudged[i] = NotJudged{line(n.Rule), line(n.Why)}
	}
	out.Ignores = slices.Clone(r.Ignores)
	for i := range out.Ignores {
		lines(&out.Ignores[i].Rule, &out.Ignores[i].Namespace, &out.Ignores[i].Shape, &out.Ignores[i].Reason, &out.Ignores[i].Until)
	}
	out.BaselineGone = slices.Clone(r.BaselineGone)
	for i := range out.BaselineGone {
		k := &out.BaselineGone[i]
		lines(&k.Fingerprint, &k.Rule, &k.Reason, &k.Namespace, &k.Message)
	}
	out.Commands = cleanKeys(r.Commands)
	out.Coverage = cleanCoverage(r.Coverage)
	out.Source, out.Profile, out.Version = op.Source(line(string(r.Source))), store.Profile(line(string(r.Profile))), line(r.Version)
	return &out
}

func cleanEntry(e *store.Entry) {
	lines(&e.Fingerprint, &e.Rule, &e.Name, &e.Reason, &e.Namespace, &e.Command, &e.Shape, &e.ShapeID, &e.Message, &e.Comment, &e.MutedBy, &e.Docs)
	e.Advice, e.Caveat = store.Printable(e.Advice), store.Printable(e.Caveat)
	e.Fix.Text, e.Fix.Mongosh = store.Printable(e.Fix.Text), store.Printable(e.Fix.Mongosh)
	e.Fields = slices.Clone(e.Fields)
	for i := range e.Fields {
		lines(&e.Fields[i])
	}
	e.Clients = slices.Clone(e.Clients)
	for i := range e.Clients {
		lines(&e.Clients[i].App, &e.Clients[i].Driver)
	}
	e.Tests = slices.Clone(e.Tests)
	for i := range e.Tests {
		lines(&e.Tests[i].Name)
	}
	e.Evidence = slices.Clone(e.Evidence)
	for i := range e.Evidence {
		lines(&e.Evidence[i].Name, &e.Evidence[i].Unit)
	}
	if e.Series != nil {
		series := *e.Series
		lines(&series.Figure)
		e.Series = &series
	}
}

func cleanCoverage(c op.Coverage) op.Coverage {
	c.Undecoded, c.Shed = cleanKeys(c.Undecoded), cleanKeys(c.Shed)
	c.Applications = slices.Clone(c.Applications)
	for i := range c.Applications {
		lines(&c.Applications[i].App)
	}
	if c.Packets != nil {
		p := *c.Packets
		p.Skipped = cleanKeys(p.Skipped)
		c.Packets = &p
	}
	if c.Records != nil {
		x := *c.Records
		x.Skipped, x.Undecoded = cleanKeys(x.Skipped), cleanKeys(x.Undecoded)
		c.Records = &x
	}
	return c
}

func cleanKeys(m map[string]int64) map[string]int64 {
	out := make(map[string]int64, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out[line(k)] += m[k]
	}
	return out
}

// line cleans what stands in one line.
func line(s string) string { return strings.ReplaceAll(store.Printable(s), "\n", " ") }

func lines(texts ...*string) {
	for _, s := range texts {
		*s = line(*s)
	}
}

// short cuts a text that is only a title, at a character. n is in bytes.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 { // inside a character
		n--
	}
	return s[:n] + "…"
}
