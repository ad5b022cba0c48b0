package sink

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"mongoadvisor/internal/store"
)

func TestDuring(t *testing.T) {
	list := []store.Test{{Name: "TestA", Count: 1234}, {Name: "TestB", Count: 1}}
	if got := during(list); got != "TestA (1,234), TestB" {
		t.Errorf("%q", got)
	}
	for i := range 10 {
		list = append(list, store.Test{Name: fmt.Sprint("T", i), Count: 1})
	}
	if got := during(list); !strings.HasSuffix(got, "T0, T1, T2, 7 more") {
		t.Errorf("%q", got)
	}
}

// TestAttribution: the test, else the application, else the comment.
func TestAttribution(t *testing.T) {
	e := store.Entry{Tests: []store.Test{{Name: "TestA", Count: 1}}, Clients: []store.Client{{App: "shop", Driver: "d 1", Count: 1}}, Comment: "route=/x"}
	for _, want := range []string{"TestA", "shop [d 1]", "route=/x", "(no application name) [d 1]"} {
		if got := attribution(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		switch want {
		case "TestA":
			e.Tests = nil
		case "shop [d 1]":
			e.Clients[0].App = ""
		default:
			e.Comment = ""
		}
	}
}

// TestTestsAreInEveryFormat: the tests of a finding stand in each report.
func TestTestsAreInEveryFormat(t *testing.T) {
	const words = "TestSearch/by_city (1,400), orders > found [id-1]"
	r := sample()
	for format, want := range map[string]string{
		"text": "    in        " + words + "\n", "github": "%0Ain " + words + "%0A", "html": "<dt>In</dt><dd class=\"text\"><bdi>TestSearch/by_city (1,400), orders &gt; found [id-1]</bdi></dd>",
	} {
		if got := written(t, r, format); !strings.Contains(got, want) {
			t.Errorf("%s does not say %q:\n%s", format, want, got)
		}
	}
	var summary bytes.Buffer
	if err := r.Markdown(&summary); err != nil || !strings.Contains(summary.String(), `| 1,412 | TestSearch/by\_city (1,400), orders &gt; found \[id-1\] | Replace`) {
		t.Errorf("%v\n%s", err, summary.String())
	}
	var x junitReport
	if err := xml.Unmarshal([]byte(written(t, r, "junit")), &x); err != nil {
		t.Fatal(err)
	}
	for _, s := range x.Suites {
		if strings.HasPrefix(s.Name, "Q02") {
			if c := s.Cases[0]; c.Properties == nil || len(c.Properties.List) != 2 || c.Properties.List[0] != (junitProperty{"test", "TestSearch/by_city"}) || !strings.Contains(c.Failure.Text, words) {
				t.Errorf("%+v", c)
			}
		}
	}
	run := validated(t, written(t, r, "sarif"))
	tests, err := json.Marshal(run.Results[0].Properties.Properties["tests"])
	if err != nil || string(tests) != `[{"count":1400,"name":"TestSearch/by_city"},{"count":1,"name":"orders \u003e found [id-1]"}]` || !strings.Contains(*run.Results[0].Message.Text, "\nin "+words+"\n") {
		t.Errorf("%s, %v: %s", tests, err, *run.Results[0].Message.Text)
	}
}
