package sink

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// node is an element of a page that was read back.
func elements(t *testing.T, text string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			out = append(out, n)
		}
	}
	return out
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// inside is the text of an element.
func inside(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// drawnSample is a report with plots.
func drawnSample() *Report {
	r := sample()
	r.Findings[0].Series = drawn("keys_examined")
	r.Totals.Series = drawn("")
	return r
}

func TestHTML(t *testing.T) {
	text := written(t, drawnSample(), "html")
	pres, rows, plots, anchors, links := []string{}, 0, []string{}, []string{}, []string{}
	for _, n := range elements(t, text) {
		switch n.Data {
		case "pre":
			pres = append(pres, inside(n))
		case "tr":
			if n.Parent.Data == "tbody" && attr(n, "role") == "row" {
				rows++
			}
		case "svg":
			plots = append(plots, attr(n, "aria-label"))
		case "article":
			anchors = append(anchors, "#"+attr(n, "id"))
		case "a":
			if h := attr(n, "href"); strings.HasPrefix(h, "#finding-") {
				links = append(links, h)
			}
		case "th":
			if attr(n, "scope") == "" {
				t.Errorf("a heading of a table is for nothing: %s", inside(n))
			}
		}
	}
	if len(pres) != 1 || pres[0] != sample().Findings[0].Fix.Mongosh {
		t.Errorf("commands %q", pres)
	}
	if rows != 3 || !slices.Equal(anchors, links) || len(anchors) != 3 {
		t.Errorf("%d rows, articles %q, links %q", rows, anchors, links)
	}
	if len(plots) != 7 || !strings.Contains(plots[5], "keys examined (keys): from 100 at 2026-01-01 12:00 to 1,420") || !strings.Contains(plots[5], "limit 1,000") {
		t.Errorf("%q", plots)
	}
	for _, want := range []string{"99.9 % of the traffic was understood", "Incomplete. 99.9 %", "Q10</b>: this source carries no execution statistics", "shop.<wbr>customers", "an old report", "a collection that is and stays small"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestHTMLLoadsNothing: no element refers to anything outside of the file.
func TestHTMLLoadsNothing(t *testing.T) {
	for _, n := range elements(t, written(t, drawnSample(), "html")) {
		if slices.Contains([]string{"link", "img", "iframe", "object", "embed", "base", "form", "image", "use", "audio", "video", "source"}, n.Data) {
			t.Errorf("element %s", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "src" || a.Key == "href" && !strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Key, "on") || a.Key == "style" {
				t.Errorf("%s %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
	for _, part := range []string{pageStyle, pageScript} {
		if strings.Contains(part, "url(") || strings.Contains(part, "@import") || strings.Contains(part, "http") {
			t.Error("style or script refers to something outside")
		}
	}
}

// TestHTMLRunsItsOwnScriptOnly: style and script are those that the policy of the
// page names, to the byte.
func TestHTMLRunsItsOwnScriptOnly(t *testing.T) {
	allowed := ""
	for _, n := range elements(t, written(t, hostile(), "html")) {
		switch {
		case attr(n, "http-equiv") != "":
			allowed = attr(n, "content")
		case n.Data == "script" || n.Data == "style":
			if !strings.Contains(allowed, n.Data+"-src '"+digest(n.FirstChild.Data)+"'") {
				t.Errorf("the policy does not allow the %s", n.Data)
			}
		}
	}
	if allowed == "" {
		t.Error("no policy")
	}
}

func TestHTMLOfHostileNames(t *testing.T) {
	known := map[string]bool{}
	for _, n := range elements(t, written(t, drawnSample(), "html")) {
		known[n.Data] = true
	}
	counts := map[string]int{}
	var names []string
	for _, n := range elements(t, written(t, hostile(), "html")) {
		counts[n.Data]++
		if !known[n.Data] && !slices.Contains([]string{"dt", "line", "polyline"}, n.Data) {
			t.Errorf("a name became an element %s", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" {
				t.Errorf("a name became an attribute %s of %s", a.Key, n.Data)
			}
		}
		if n.Data == "code" {
			names = append(names, inside(n))
		}
	}
	if counts["script"] != 1 || counts["style"] != 1 || counts["article"] != len(hostileNames) {
		t.Errorf("%v", counts)
	}
	for _, name := range []string{"</script><script>alert(1)</script>", "emoji 🦥 and שלום", `a"b'c` + "`d"} {
		if !slices.Contains(names, name) {
			t.Errorf("%q is not shown as it is", name)
		}
	}
}

func TestHTMLOfNothing(t *testing.T) {
	text := written(t, &Report{}, "html")
	if !strings.Contains(text, "No operation was seen") || !strings.Contains(text, "No open findings.") || strings.Contains(text, "<svg") {
		t.Error(text[len(pageStyle):])
	}
}

// TestPlotsStayInside: whatever is drawn, and draws the same each time.
func TestPlotsStayInside(t *testing.T) {
	inRange := func(s string, most float64) bool {
		var x float64
		_, err := fmt.Sscan(s, &x)
		return err == nil && x >= 0 && x <= most
	}
	for _, limit := range []int64{0, 1, 200, 1420, 3000, 1 << 60} {
		for _, p := range plots(drawn("length"), []analysis.Evidence{{Name: "length", Limit: limit, Unit: "elements"}}) {
			for _, b := range p.Bars {
				if !inRange(b.X, plotWidth) || !inRange(b.Y, plotHeight) || !inRange(b.W, plotWidth) || !inRange(b.H, plotHeight) {
					t.Errorf("%s: %+v", p.Title, b)
				}
			}
			for _, d := range p.Dots {
				if !inRange(d.X, plotWidth) || !inRange(d.Y, plotHeight) {
					t.Errorf("%s: %+v", p.Title, d)
				}
			}
			if p.Limit != "" && !inRange(p.Limit, plotHeight) || (limit == 0 || limit == 1<<60) && p.Limit != "" {
				t.Errorf("limit %d at %s", limit, p.Limit)
			}
			if p.Words == "" || p.Title == "" || p.From == "" || p.To == "" || p.Top == "" {
				t.Errorf("%+v", p)
			}
		}
	}
	if got := plots(&store.Series{Points: make([]store.Point, 2)}, nil); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestSpans(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 µs", 512 * time.Microsecond: "512 µs", 1500 * time.Microsecond: "1.5 ms", 32 * time.Millisecond: "32 ms", 200 * time.Millisecond: "200 ms",
		time.Second: "1 s", 90 * time.Second: "1.5 min", 10 * time.Minute: "10 min", 6 * time.Hour: "6 h", 48 * time.Hour: "2 d",
	} {
		if got := span(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
}

// TestCoverageOfCaptures: what a capture or a log lost is said in each format.
func TestCoverageOfCaptures(t *testing.T) {
	r := sample()
	r.Coverage.Packets = &op.PacketCoverage{Packets: 5000, Bytes: 1 << 20, Skipped: map[string]int64{"not-tcp": 7}, Dropped: 3, Truncated: 4, LostBytes: 1200, Gaps: 2, Resyncs: 2, OtherTCP: 6, OneSided: 1, Incomplete: true}
	r.Coverage.Records = &op.RecordCoverage{Records: 900, Bytes: 70_000, Slow: 80, Decoded: 78, Skipped: map[string]int64{"duplicate": 5}, Undecoded: map[string]int64{"json": 2}, Truncated: 9, Redacted: 10}
	for i := range 8 {
		r.Coverage.Applications = append(r.Coverage.Applications, op.AppCoverage{App: strings.Repeat("a", i), Operations: int64(100 - i)})
	}
	for _, format := range Formats {
		if format == "json" {
			continue
		}
		text := strings.Join(strings.Fields(written(t, r, format)), " ")
		for _, want := range []string{
			"5,000 captured (1,048,576 bytes)", "3 packets dropped by the kernel", "4 packets truncated", "1,200 bytes lost in 2 gaps", "taken up again behind a gap: 2",
			"1 connection of which one direction was seen", "6 connections not MongoDB", "7 packets skipped (not-tcp)", "the file ends inside a packet",
			"900 read (70,000 bytes), 80 of operations, 78 understood", "2 records not understood (json)", "5 records left out (duplicate)", "9 commands truncated by the server",
			"10 commands redacted by the server", "slow operations only", "(no application name) 100 operations, a 99 operations", "3 more",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
	}
}

// TestPartOfTheTrafficIsNoCleanBill: a report of a part says so in its first words.
func TestPartOfTheTrafficIsNoCleanBill(t *testing.T) {
	whole := func() *Report { return &Report{Totals: store.Totals{Operations: 1}, Coverage: op.Coverage{Ratio: 1}} }
	if got := incomplete(whole()); got != "" {
		t.Error(got)
	}
	for want, change := range map[string]func(*Report){
		"No operation was seen": func(r *Report) { r.Totals.Operations = 0 },
		"Slow operations only":  func(r *Report) { r.Coverage.Records = &op.RecordCoverage{} },
		"Incomplete":            func(r *Report) { r.Coverage.Packets = &op.PacketCoverage{Gaps: 1} },
		"Incomplete.":           func(r *Report) { r.Coverage.Ratio = 0.99 },
		"Sampled under load":    func(r *Report) { r.Coverage.Recognised = 1 },
	} {
		r := whole()
		change(r)
		if text := written(t, r, "html"); !strings.Contains(text, `partial">`+want) {
			t.Errorf("the page does not begin with %q", want)
		}
	}
}
