package sink

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// told makes an entry of a change of state.
func told(fingerprint, rule, namespace string, severity analysis.Severity, status store.Status) store.Entry {
	return store.Entry{
		Fingerprint: fingerprint, Rule: rule, Name: "name-of-" + strings.ToLower(rule), Namespace: namespace, Severity: severity, Status: status, Count: 3,
		Message: "message of " + fingerprint, Fix: analysis.Fix{Text: "fix of " + fingerprint, Mongosh: "db.x.mend()"}, LastSeen: time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC),
	}
}

// several are findings of three groups, of which one is fixed and one was told of twice.
func several() []store.Entry {
	return []store.Entry{
		told("a", "Q02", "shop.customers", analysis.Medium, store.Open),
		told("b", "W02", "shop.posts", analysis.Critical, store.Fixed),
		told("c", "Q10", "shop.orders", analysis.High, store.Open),
		told("d", "Q02", "shop.customers", analysis.Low, store.Open),
		told("a", "Q02", "shop.customers", analysis.Critical, store.Regressed),
		told("e", "Q10", "shop.orders", analysis.Critical, store.Fixed),
	}
}

// TestGroups: findings go together by rule and namespace, the worst first, what is fixed
// last; of one that changes twice the last state counts.
func TestGroups(t *testing.T) {
	groups := grouped(several())
	b, err := json.Marshal(groups)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"namespace":"shop.customers","rule":"Q02","name":"name-of-q02","severity":"critical","count":2,"fingerprints":["a","d"]},` +
		`{"namespace":"shop.orders","rule":"Q10","name":"name-of-q10","severity":"high","count":2,"fingerprints":["c","e"]},` +
		`{"namespace":"shop.posts","rule":"W02","name":"name-of-w02","severity":"critical","count":1,"fingerprints":["b"]}]`
	if string(b) != want {
		t.Errorf("%s\nwant\n%s", b, want)
	}
	var order []string
	for _, e := range all(groups) {
		order = append(order, e.Fingerprint+" "+string(e.Status))
	}
	if got := strings.Join(order, ", "); got != "a regressed, d open, c open, e fixed, b fixed" {
		t.Error(got)
	}
}

// TestSlackGroups: one heading for each group. What is fixed says so and asks for nothing.
func TestSlackGroups(t *testing.T) {
	want := "*5 findings*: 1 critical, 1 high, 1 low, 2 fixed\n\n" +
		"*CRITICAL Q02 name-of-q02* on `shop.customers`, 2 findings\n" +
		"was fixed, and is seen again: message of a\n>fix of a\n```db.x.mend()```\n_seen 3 times, finding a_\n\n" +
		"message of d\n>fix of d\n```db.x.mend()```\n_seen 3 times, finding d_\n\n" +
		"*HIGH Q10 name-of-q10* on `shop.orders`, 2 findings\n" +
		"message of c\n>fix of c\n```db.x.mend()```\n_seen 3 times, finding c_\n\n" +
		"no longer seen: message of e\n_seen 3 times, last at 2026-12-01 09:30 UTC, finding e_\n\n" +
		"*FIXED W02 name-of-w02* on `shop.posts`\n" +
		"no longer seen: message of b\n_seen 3 times, last at 2026-12-01 09:30 UTC, finding b_"
	if got := slackMessage(grouped(several())); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// flood is what a bad deployment finds.
func flood(n int) (out []store.Entry) {
	for i := range n {
		e := told(fmt.Sprintf("%016x", i), fmt.Sprintf("Q%02d", i%60), fmt.Sprintf("shop.c%d", i%60), analysis.Severity(i%5), store.Open)
		e.Message, e.Fix.Text, e.Fix.Mongosh = strings.Repeat("&", 4000), strings.Repeat("<", 4000), strings.Repeat(">", 4000)
		out = append(out, e)
	}
	return out
}

// TestSlackFlood: three hundred findings are a message that Slack does not cut, with the
// worst in full, and a number for all others.
func TestSlackFlood(t *testing.T) {
	text := slackMessage(grouped(flood(300)))
	if len(text) > 40_000 {
		t.Errorf("%d bytes", len(text))
	}
	if n := strings.Count(text, "* on `shop."); n == 0 || n > maxSlackGroups {
		t.Errorf("%d headings", n)
	}
	for _, want := range []string{"*300 findings*: 60 critical, 60 high, 60 medium, 60 low, 60 info", "of 300 are shown", "findings elsewhere"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%.400s…", want, text)
		}
	}
	if strings.Contains(text[:strings.Index(text, "* on `")], "LOW") {
		t.Errorf("the first is not the worst:\n%.200s", text)
	}
}

// TestAFloodIsFewMessages: what comes while the last message is young waits for the next,
// and the end of the program waits for neither.
func TestAFloodIsFewMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes []int
		d := NewDispatcher(nil)
		d.Add(&counter{&sizes}, Options{Batch: SlackBatch, Interval: SlackEvery})
		for _, e := range flood(300) {
			d.Announce(e)
			time.Sleep(100 * time.Millisecond) // half a minute in all
		}
		synctest.Wait()
		if got := fmt.Sprint(sizes); len(sizes) > 2 || sizes[0] > 10 {
			t.Errorf("messages of %s findings", got)
		}
		d.Close()
		sum := 0
		for _, n := range sizes {
			sum += n
		}
		if sum != 300 || len(sizes) > 3 {
			t.Errorf("messages of %v findings", sizes)
		}
	})
}

// counter notes the sizes of its batches.
type counter struct{ sizes *[]int }

func (c *counter) Name() string { return "counter" }
func (c *counter) Close() error { return nil }
func (c *counter) Emit(_ context.Context, entries []store.Entry) error {
	*c.sizes = append(*c.sizes, len(entries))
	return nil
}

// TestWebhookGroups: groups and findings have one order.
func TestWebhookGroups(t *testing.T) {
	var got struct {
		Groups   []struct{ Fingerprints []string }
		Findings []struct{ Fingerprint, Status string }
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
	}))
	defer receiver.Close()
	if err := newWebhook(t, receiver.URL, "").Emit(t.Context(), several()); err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprint(got); s != "{[{[a d]} {[c e]} {[b]}] [{a regressed} {d open} {c open} {e fixed} {b fixed}]}" {
		t.Error(s)
	}
}

// TestLogOfChanges: what is fixed is good news, and not told as a warning.
func TestLogOfChanges(t *testing.T) {
	core, logs := observer.New(zapcore.DebugLevel)
	if err := NewLog(zap.New(core)).Emit(t.Context(), several()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range logs.All() {
		got = append(got, l.Level.String()+" "+l.Message)
	}
	want := []string{
		"warn message of a", "info no longer seen: message of b", "warn message of c", "info message of d",
		"warn was fixed, and is seen again: message of a", "info no longer seen: message of e",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
