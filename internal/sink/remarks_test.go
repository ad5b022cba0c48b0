package sink

import (
	"bytes"
	"strings"
	"testing"

	"mongoadvisor/internal/store"
)

// TestRemarksAreInEveryFormat: what an ignore entry, a mark or the baseline says in vain
// stands in each report.
func TestRemarksAreInEveryFormat(t *testing.T) {
	r := sample()
	r.Ignores = []IdleIgnore{
		{Rule: "A01", Namespace: "shop.orders", Reason: "r", Until: "2026-01-31", Why: IgnoreExpired},
		{Rule: "A02", Reason: "r", Why: IgnoreUnused},
		{Mark: true, Rule: "Q99", Namespace: "shop.orders", Why: IgnoreNoRule},
		{Mark: true, Rule: "Q01", Namespace: "shop.orders", Why: IgnoreNoReason},
		{Mark: true, Rule: "Q02", Namespace: "shop.orders", Why: IgnoreUnused},
	}
	r.BaselineGone = []store.Known{{Fingerprint: "0000000000000003", Rule: "W01", Reason: "push", Namespace: "shop.posts"}}
	var summary bytes.Buffer
	if err := r.Markdown(&summary); err != nil {
		t.Fatal(err)
	}
	reports := map[string]string{"markdown": summary.String()}
	for _, format := range []string{"text", "html", "junit", "sarif", "github"} {
		reports[format] = written(t, r, format)
	}
	for format, text := range reports {
		text = strings.Join(strings.Fields(strings.NewReplacer("&#34;", `"`, `\"`, `"`, "%3A", ":", "%0A", " ").Replace(text)), " ")
		for _, want := range []string{
			"ignore entry A01 shop.orders: expired on 2026-01-31", "ignore entry A02: silenced nothing",
			`comment mongoadvisor:ignore Q99 on shop.orders: "Q99" is no rule`,
			"comment mongoadvisor:ignore Q01 on shop.orders: silences without a reason",
			"comment mongoadvisor:ignore Q02 on shop.orders: silenced nothing",
			"gone since the baseline: W01 push on shop.posts (0000000000000003)",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", format, want)
			}
		}
	}
}

// TestFewRemarks: where there is little room, they are counted.
func TestFewRemarks(t *testing.T) {
	r := &Report{}
	for range maxRemarks + 5 {
		r.Ignores = append(r.Ignores, IdleIgnore{Rule: "Q01", Namespace: strings.Repeat("n", 2*maxRemark)})
	}
	got := fewRemarks(r)
	if len(got) != maxRemarks+1 || got[maxRemarks] != "5 more remarks are in the report" || len(got[0]) > maxRemark+len("…") {
		t.Errorf("%d: %q", len(got), got)
	}
}
