package sink

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestSlack: a message that names finding, place and fix, and in which no name mentions
// anybody, is a link, or ends the code it stands in.
func TestSlack(t *testing.T) {
	var text string
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body struct{ Text string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		text = body.Text
	}))
	defer receiver.Close()
	s, err := NewSlack(receiver.URL+"/services/T/B/x", "1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Emit(t.Context(), sample().Findings[:1]); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"*MEDIUM Q02 regex-case-insensitive* on `shop.customers", "```db.customers.createIndex", "_seen 1,412 times, finding "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if err := s.Emit(t.Context(), hostile().Findings); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text, "<") || strings.Contains(text, "<!channel>") || !strings.Contains(text, "10 of 20 are shown") {
		t.Errorf("markup in\n%s", text)
	}
	if n := strings.Count(text, "`"); n%2 != 0 {
		t.Errorf("%d backquotes", n)
	}
	e := sample().Findings[0]
	e.Name, e.Message = "<!channel> @here *bold*", "look <http://x|here> `code`"
	if err := s.Emit(t.Context(), append(sample().Findings[:0:0], e)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<!channel>", "@here", "*bold*", "`code`"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s in\n%s", bad, text)
		}
	}
	if _, err := NewSlack("hooks.slack.com/services/x", ""); err == nil {
		t.Error("an address without a scheme was taken")
	}
}
