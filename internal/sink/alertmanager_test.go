package sink

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// TestAlertmanagerFollowsFindings: what is open is firing, said again each time; what is
// fixed, muted, gone or of another severity ends, once.
func TestAlertmanagerFollowsFindings(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	var got map[string]time.Time // labels that matter, to the end
	down := false
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		var messages []alertMessage
		if err := json.NewDecoder(r.Body).Decode(&messages); err != nil || r.URL.Path != "/api/v2/alerts" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		for _, m := range messages {
			got[m.Labels["fingerprint"]+" "+m.Labels["finding_severity"]] = m.EndsAt
			if m.StartsAt.IsZero() || m.StartsAt.After(now) || m.StartsAt.After(m.EndsAt) {
				t.Errorf("at %s an alert starts at %s and ends at %s", now, m.StartsAt, m.EndsAt)
			}
		}
	}))
	defer receiver.Close()
	entry := func(fingerprint string, severity analysis.Severity, status store.Status) store.Entry {
		return store.Entry{Fingerprint: fingerprint, Severity: severity, Status: status, Namespace: "shop.orders", Message: "m", Advice: "a"}
	}
	var findings []store.Entry
	a, err := NewAlertmanager([]string{receiver.URL + "/"}, "1", analysis.Medium, func() []store.Entry { return findings })
	if err != nil {
		t.Fatal(err)
	}
	a.now = func() time.Time { return now }
	say := func() map[string]time.Time {
		t.Helper()
		got = map[string]time.Time{}
		if err := a.Emit(t.Context(), nil); (err != nil) != down {
			t.Fatal(err)
		}
		return got
	}
	later := now.Add(alertEnds)
	several := []store.Entry{
		entry("one", analysis.High, store.Open), entry("two", analysis.Medium, store.Regressed),
		entry("low", analysis.Low, store.Open), entry("ours", analysis.High, store.Muted),
	}
	changed := []store.Entry{entry("one", analysis.Critical, store.Open), entry("two", analysis.Medium, store.Fixed)}
	for i, tt := range []struct {
		findings []store.Entry
		down     bool
		want     map[string]time.Time
	}{
		{nil, false, map[string]time.Time{}},
		{several, false, map[string]time.Time{"one high": later, "two medium": later}},
		{several[:2], false, map[string]time.Time{"one high": later, "two medium": later}},
		{changed, true, map[string]time.Time{}},
		{changed, false, map[string]time.Time{"one critical": later, "one high": now, "two medium": now}},
		{changed[:1], false, map[string]time.Time{"one critical": later}},
		{nil, false, map[string]time.Time{"one critical": now}},
		{nil, false, map[string]time.Time{}},
	} {
		findings, down = tt.findings, tt.down
		if said := say(); fmt.Sprint(said) != fmt.Sprint(tt.want) {
			t.Errorf("step %d: %v, want %v", i, said, tt.want)
		}
	}
	findings, began := several[:1], now
	for range 3 {
		say()
		if at := a.told["one"].StartsAt; !at.Equal(began) {
			t.Errorf("an alert said again starts at %s, not at %s", at, began)
		}
		now = now.Add(AlertEvery)
	}
	findings = nil
	say()
	for i := range maxAlerts + 50 {
		findings = append(findings, entry(fmt.Sprint(i), analysis.High, store.Open))
	}
	if said := say(); len(said) != maxAlerts {
		t.Errorf("%d alerts", len(said))
	}
	if _, err := NewAlertmanager([]string{"localhost:9093"}, "", 0, nil); err == nil {
		t.Error("an address without a scheme was taken")
	}
}
