package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestReload: asked for by POST or PUT where it is switched on, and by no page of another
// origin.
func TestReload(t *testing.T) {
	asked := 0
	var failure error
	reload := func() (string, error) { asked++; return "reloaded", failure }
	on := started(t, Config{Reload: reload, Lifecycle: true})
	off := started(t, Config{Reload: reload})
	ask := func(s *Server, method, origin string) (int, string) {
		t.Helper()
		return get(t, s.Addr(), "/-/reload", func(r *http.Request) {
			r.Method = method
			if origin != "" {
				r.Header.Set("Origin", origin)
				r.Header.Set("Sec-Fetch-Site", "cross-site")
			}
		})
	}
	for _, method := range []string{http.MethodPost, http.MethodPut} {
		if code, body := ask(on, method, ""); code != http.StatusOK || body != "The configuration was reloaded.\n" {
			t.Errorf("%s: %d %q", method, code, body)
		}
		if code, body := ask(off, method, ""); code != http.StatusForbidden || !strings.Contains(body, "--web.enable-lifecycle") {
			t.Errorf("%s, switched off: %d %q", method, code, body)
		}
		if code, _ := ask(on, method, "http://elsewhere.example"); code != http.StatusForbidden {
			t.Errorf("%s from another origin: %d", method, code)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if code, _ := ask(on, method, ""); code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, code)
		}
	}
	if asked != 2 {
		t.Errorf("reloaded %d times", asked)
	}
	failure = errors.New("[2:1] unknown field")
	if code, body := ask(on, http.MethodPost, ""); code != http.StatusInternalServerError || !strings.Contains(body, "the old one stays in force: [2:1] unknown field") {
		t.Errorf("%d %q", code, body)
	}
}

// TestFailedReloadIsSeen: the metric is 0 until one succeeds, and the time stays.
func TestFailedReloadIsSeen(t *testing.T) {
	m := NewMetrics("1.2.3", "abc")
	s := testSources()
	inForce, read := s.Config()
	s.Config = func() (bool, time.Time) { return !inForce, read }
	m.Watch(s)
	got := series(t, m)
	if got["mongoadvisor_config_last_reload_successful{}"] != 0 || got["mongoadvisor_config_last_reload_success_timestamp_seconds{}"] != 1_700_000_000 {
		t.Errorf("%v at %v", got["mongoadvisor_config_last_reload_successful{}"], got["mongoadvisor_config_last_reload_success_timestamp_seconds{}"])
	}
}
