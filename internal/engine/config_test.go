package engine

import (
	"strings"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
)

func catalogue() []*analysis.Analyzer {
	off := newRule("I05", always)
	off.Off = true
	return []*analysis.Analyzer{newRule("Q01", always), newRule("Q02", always), off}
}

func TestSelect(t *testing.T) {
	for changes, want := range map[string]string{
		"":            "Q01 Q02",
		"+I05":        "Q01 Q02 I05",
		"-Q02":        "Q01",
		"+I05,-Q01":   "Q02 I05",
		"Q02":         "Q02",
		"Q02,+I05":    "Q02 I05",
		"I05,Q01":     "Q01 I05",
		"-Q01,-Q02":   "",
		"+Q01":        "Q01 Q02",
		"Q01,-Q01":    "",
		"-Q01,+Q01":   "Q01 Q02",
		"I05,Q02,Q01": "Q01 Q02 I05",
	} {
		var list []string
		if changes != "" {
			list = strings.Split(changes, ",")
		}
		got, err := Select(catalogue(), list)
		if err != nil {
			t.Errorf("%s: %v", changes, err)
		}
		var ids []string
		for _, a := range got {
			ids = append(ids, a.ID)
		}
		if strings.Join(ids, " ") != want {
			t.Errorf("%s: %v, want %s", changes, ids, want)
		}
	}
	for _, bad := range []string{"Q99", "+q01", "", "regex"} {
		if _, err := Select(catalogue(), []string{bad}); err == nil || !strings.Contains(err.Error(), "+ID, -ID or ID") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestParseLimits(t *testing.T) {
	got, err := ParseLimits(catalogue(), []string{"Q01.most=500", "Q02.min-count=0"})
	if err != nil || got["Q01.most"] != 500 || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	for bad, says := range map[string]string{
		"Q01.most": "want RULE.NAME=NUMBER", "Q01.least=1": "want RULE.NAME=NUMBER", "Q77.most=1": "want RULE.NAME=NUMBER", "": "want RULE.NAME=NUMBER",
		"Q01.most=-1": "Q01.most", "Q01.most=1k": "whole number", "Q01.most=": "whole number", "Q01.most=99999999999999999999": "whole number",
	} {
		if _, err := ParseLimits(catalogue(), []string{bad}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestIgnoreEntries(t *testing.T) {
	o := find("orders")
	shape := o.Shape().String()
	for name, c := range map[string]struct {
		ignore Ignore
		muted  bool
	}{
		"everywhere":     {Ignore{Rule: "Q01", Reason: "r"}, true},
		"another rule":   {Ignore{Rule: "Q02", Reason: "r"}, false},
		"pattern":        {Ignore{Rule: "Q01", Namespace: "shop.*", Reason: "r"}, true},
		"exact":          {Ignore{Rule: "Q01", Namespace: "shop.orders", Reason: "r"}, true},
		"elsewhere":      {Ignore{Rule: "Q01", Namespace: "crm.*", Reason: "r"}, false},
		"bad pattern":    {Ignore{Rule: "Q01", Namespace: "[", Reason: "r"}, false},
		"shape":          {Ignore{Rule: "Q01", Shape: shape, Reason: "r"}, true},
		"another shape":  {Ignore{Rule: "Q01", Shape: "0000000000000000", Reason: "r"}, false},
		"not yet over":   {Ignore{Rule: "Q01", Reason: "r", Until: start.Add(time.Hour)}, true},
		"over":           {Ignore{Rule: "Q01", Reason: "r", Until: start.Add(-time.Hour)}, false},
		"over just now":  {Ignore{Rule: "Q01", Reason: "r", Until: start}, false},
		"wall clock far": {Ignore{Rule: "Q01", Reason: "r", Until: start.Add(time.Nanosecond)}, true},
	} {
		e, r := newEngine(Config{Rules: []*analysis.Analyzer{newRule("Q01", always)}, Ignore: []Ignore{c.ignore}})
		e.Judge(o)
		if got := r.reports[0].Silenced != ""; got != c.muted {
			t.Errorf("%s: muted %v", name, got)
		}
	}
}

func TestSilenceComment(t *testing.T) {
	for comment, want := range map[string]string{
		"":                                      "",
		"mongoadvisor:ignore Q01 a known thing": "a known thing",
		"mongoadvisor:ignore Q01":               "comment in the query",
		"mongoadvisor:ignore Q02,Q01 both":      "both",
		"mongoadvisor:ignore Q02 other":         "",
		"mongoadvisor:ignore":                   "",
		"route=/x mongoadvisor:ignore Q01 late": "late",
		"mongoadvisor:ignore Q011 no":           "",
		"ignore Q01":                            "",
	} {
		e, r := newEngine(Config{Rules: []*analysis.Analyzer{newRule("Q01", always)}})
		o := find("orders")
		o.Comment = comment
		e.Judge(o)
		if got := r.reports[0].Silenced; got != want {
			t.Errorf("%q: %q, want %q", comment, got, want)
		}
	}
}

// TestIgnoreEntriesAreAccountedFor: what an entry silenced, and whether its day is
// past by the traffic's clock.
func TestIgnoreEntriesAreAccountedFor(t *testing.T) {
	e, _ := newEngine(Config{
		Rules: []*analysis.Analyzer{newRule("Q01", always)},
		Ignore: []Ignore{
			{Rule: "Q01", Namespace: "shop.customers", Reason: "unused"},
			{Rule: "Q01", Namespace: "shop.orders", Reason: "past", Until: start},
			{Rule: "Q01", Namespace: "shop.*", Reason: "in use", Until: start.AddDate(0, 0, 1)},
		},
	})
	e.Judge(find("orders"))
	e.Judge(find("orders"))
	for i, want := range []IgnoreUse{{Silenced: 0}, {Silenced: 0, Expired: true}, {Silenced: 2}} {
		if got := e.Ignores()[i]; got.Silenced != want.Silenced || got.Expired != want.Expired {
			t.Errorf("entry %d: %+v", i, got)
		}
	}
}
