package sink

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// The page and what it is made with. Style and script are inside the file: it is
// read where there is no network, and loads nothing where there is one.
var (
	//go:embed static/report.html.tmpl
	pageText string
	//go:embed static/report.css
	pageStyle string
	//go:embed static/report.js
	pageScript string

	page = template.Must(template.New("report").Parse(pageText))
)

// policy forbids the page everything but its own style and script: what a name might
// bring in would not run even if it were not escaped.
var policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '" + digest(pageStyle) + "'; script-src '" + digest(pageScript) + "'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// htmlReport is what the page shows.
type htmlReport struct {
	Policy     string
	Style      template.CSS
	Script     template.JS
	Version    string
	Understood string
	Incomplete string // why, in a word or two; "" when nothing is missing
	Coverage   []part
	NotJudged  []unjudged
	Remarks    []string
	Plots      []plot
	Severities []severityCount
	Rest       []string
	Open       []htmlFinding
	Quiet      []htmlFinding // muted and fixed
}

type severityCount struct {
	Severity string
	N        int
}

// htmlFinding is one finding, with what is worded once for table and section.
type htmlFinding struct {
	store.Entry
	Anchor   string
	Number   int
	Place    string
	Title    string   // the place, cut to what a heading can hold
	Parts    []string // the title at its points, where a line may end
	What     string   // the message, cut to what a cell can hold
	Count    string
	CountKey int64
	Impact   string
	P95      string
	P95Key   float64
	Times    string
	Seen     string
	During   string
	Evidence []htmlEvidence
	Clients  []htmlClient
	Plots    []plot
}

type htmlEvidence struct{ Name, Value, Limit, Unit string }

type htmlClient struct{ App, Driver, Count string }

// html writes one page that needs nothing else.
func (r *Report) html(w io.Writer) error {
	h := htmlReport{
		Policy: policy, Style: template.CSS(pageStyle), Script: template.JS(pageScript), Version: r.Version,
		Understood: understood(r.Coverage), Incomplete: incomplete(r), Coverage: append(coverage(r), commandsSeen(r.Commands)...),
		NotJudged: byCause(r.NotJudged), Remarks: remarks(r), Plots: plots(r.Totals.Series, nil),
	}
	c := count(r.Findings)
	h.Rest = c.rest(r.Totals)
	for s := range c.open {
		severity := analysis.Critical - analysis.Severity(s)
		if n := c.open[severity]; n > 0 {
			h.Severities = append(h.Severities, severityCount{severity.String(), n})
		}
	}
	for i, e := range r.Findings {
		if f := newHTMLFinding(i+1, e); open(e) {
			h.Open = append(h.Open, f)
		} else {
			h.Quiet = append(h.Quiet, f)
		}
	}
	var b bytes.Buffer // a page that stops in the middle helps nobody
	if err := page.Execute(&b, h); err != nil {
		return fmt.Errorf("HTML: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// maxTitle is how many bytes of a name a heading or a cell shows; the section has all.
const maxTitle = 120

func newHTMLFinding(n int, e store.Entry) htmlFinding {
	f := htmlFinding{
		Entry: e, Number: n, Anchor: "finding-" + strconv.Itoa(n), Place: place(e), Title: short(place(e), maxTitle), Parts: strings.Split(short(place(e), maxTitle), "."), What: short(e.Message, 2*maxTitle),
		Count: thousands(e.Count), CountKey: e.Count, Impact: percent(e.Impact), P95: "–", Times: plural(e.Count, "time"), Seen: period(e), During: during(e.Tests), Plots: plots(e.Series, e.Evidence),
	}
	if l := e.LatencyMS; l != nil {
		f.P95, f.P95Key = milliseconds(l.P95), l.P95
		for _, q := range []struct {
			name string
			ms   float64
		}{{"latency p50", l.P50}, {"latency p95", l.P95}, {"latency max", l.Max}} {
			f.Evidence = append(f.Evidence, htmlEvidence{q.name, trimmed(q.ms), "", "ms"})
		}
	}
	for _, x := range e.Evidence {
		row := htmlEvidence{Name: words(x.Name), Value: thousands(x.Value), Unit: x.Unit}
		if x.Limit != 0 {
			row.Limit = thousands(x.Limit)
		}
		f.Evidence = append(f.Evidence, row)
	}
	for _, c := range e.Clients {
		f.Clients = append(f.Clients, htmlClient{appName(c.App), c.Driver, thousands(c.Count)})
	}
	return f
}

// percent words a share that has four digits.
func percent(share float64) string {
	return strconv.FormatFloat(100*share, 'f', 2, 64) + " %"
}

func milliseconds(ms float64) string { return trimmed(ms) + " ms" }

func trimmed(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// period words from when to when.
func period(e store.Entry) string {
	first, last := e.FirstSeen.UTC().Format(time.DateTime), e.LastSeen.UTC().Format(time.DateTime)
	if first == last {
		return "at " + first + " UTC"
	}
	return "from " + first + " to " + last + " UTC"
}
