package sink

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// hostileNames are names that clients could choose to break a format with.
var hostileNames = []string{
	`a"b'c` + "`d", "x]]>y", "</script><script>alert(1)</script>", "<!-- <![CDATA[ &amp; &#0; ${x} {{.}} {% x %}", "</style></svg></pre><img src=x onerror=alert(1)>",
	"line\nbreak\r\nand\ttab", "nul\x00bell\x07escape\x1b[31mdel\x7f\u0085", "right\u202eto\u202dleft\u200f\u2066", "joined\u200d\u2028\u2029\ufeff", "emoji 🦥 and שלום",
	"bad utf-8 \xff\xfe\xc3(", "not a character \uffff\ufffe", "::error::x%0A::warning file=a,line=1::y", "##[error]x", "%25 100% a:b,c;d", `\u0000 \" \`, strings.Repeat("long ", 820) + "end",
	"javascript:alert(1)", "../../etc/passwd:1", "",
}

// hostile is a report in which every name is one of those, in every place.
func hostile() *Report {
	r := sample()
	r.Findings, r.Commands = nil, map[string]int64{}
	for i, name := range hostileNames {
		e := sample().Findings[0]
		e.Status = store.Statuses[i%len(store.Statuses)]
		e.Severity = analysis.Severity(i) % (analysis.Critical + 1)
		for _, s := range []*string{&e.Rule, &e.Name, &e.Reason, &e.Namespace, &e.Command, &e.Shape, &e.ShapeID, &e.Message, &e.Advice, &e.Fix.Text, &e.Fix.Mongosh, &e.Caveat, &e.Comment, &e.MutedBy, &e.Docs, &e.Fingerprint} {
			*s = name
		}
		e.Fields = []string{name, name}
		e.Evidence = []analysis.Evidence{{Name: name, Unit: name, Value: 1, Limit: 2}}
		e.Clients = []store.Client{{App: name, Driver: name, Count: 1}, {App: name + "2", Count: 1}}
		e.Tests = []store.Test{{Name: name, Count: 2}, {Name: name + "2", Count: 1}}
		e.Series = drawn(name)
		r.Findings = append(r.Findings, e)
		r.NotJudged = append(r.NotJudged, NotJudged{name, name})
		r.Ignores = append(r.Ignores, IdleIgnore{Rule: name, Namespace: name, Shape: name, Reason: name, Until: name, Why: "expired"})
		r.BaselineGone = append(r.BaselineGone, store.Known{Fingerprint: name, Rule: name, Reason: name, Namespace: name, Message: name})
		r.Commands[name] = 1
		r.Coverage.Undecoded[name], r.Coverage.Shed[name] = 1, 2
		r.Coverage.Applications = append(r.Coverage.Applications, op.AppCoverage{App: name, Operations: 3})
	}
	r.Coverage.Packets = &op.PacketCoverage{Packets: 5, Skipped: r.Coverage.Shed}
	r.Coverage.Records = &op.RecordCoverage{Records: 5, Skipped: r.Coverage.Shed, Undecoded: r.Coverage.Undecoded}
	r.Version = hostileNames[0]
	return r
}

// drawn is a series with something in every plot.
func drawn(figure string) *store.Series {
	s := &store.Series{Start: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), Width: 2 * time.Minute, Figure: figure}
	for i := range int64(45) {
		p := store.Point{Count: 10 + (i*i)%37, Slowest: time.Duration(2+(i*7)%29) * time.Millisecond, Value: 100 + 30*i}
		if i == 7 || i == 8 {
			p = store.Point{}
		}
		s.Points = append(s.Points, p)
	}
	for i := range 8 {
		s.Latencies = append(s.Latencies, store.Bar{UpTo: 256 * time.Microsecond << i, Count: int64(300 >> i)})
	}
	return s
}

// written is a report in one format, twice the same.
func written(t *testing.T, r *Report, format string) string {
	t.Helper()
	var a, b bytes.Buffer
	if err := r.Write(&a, format); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("%s: two reports of the same differ", format)
	}
	return a.String()
}

// TestNothingInvisibleLeaves: no format but JSON, which escapes it, holds what a
// terminal obeys or what turns text around.
func TestNothingInvisibleLeaves(t *testing.T) {
	for _, format := range Formats {
		if format == "json" {
			continue
		}
		for _, c := range written(t, hostile(), format) {
			if strings.ContainsRune("\x00\x07\x1b\x7f\r\u0085\u202e\u202d\u200f\u2066\u200d\u2028\u2029\ufeff\uffff\ufffe", c) {
				t.Errorf("%s holds %U", format, c)
			}
		}
	}
}

func TestShortCutsBetweenCharacters(t *testing.T) {
	for n := range 12 {
		if got := short("aä🦥b", n); !strings.HasPrefix("aä🦥b", strings.TrimSuffix(got, "…")) || len(got) > n+len("…") {
			t.Errorf("%d: %q", n, got)
		}
	}
}
