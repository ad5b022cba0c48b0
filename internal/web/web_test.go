package web

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProbes(t *testing.T) {
	s := started(t, Config{})
	for _, path := range []string{"/-/healthy", "/livez"} {
		if code, _ := get(t, s.Addr(), path); code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
	}
	ready := func(want int, when string) {
		t.Helper()
		for _, path := range []string{"/-/ready", "/readyz"} {
			if code, _ := get(t, s.Addr(), path); code != want {
				t.Errorf("%s: %s %d, want %d", when, path, code, want)
			}
		}
	}
	ready(http.StatusServiceUnavailable, "at the start")
	s.SetReady(true)
	ready(http.StatusOK, "in service")
	s.SetReady(false)
	ready(http.StatusServiceUnavailable, "while draining")
	if code, _ := get(t, s.Addr(), "/-/healthy"); code != http.StatusOK {
		t.Errorf("draining is not healthy: %d", code)
	}
}

func TestAPIAndLandingPage(t *testing.T) {
	s := started(t, Config{Version: "1.2.3", API: map[string]func() any{
		"findings": func() any { return map[string]string{"shape": "{a: <number>}"} }, "coverage": func() any { return 1 },
	}})
	code, body := get(t, s.Addr(), "/api/v1/findings")
	var in map[string]string
	if err := json.Unmarshal([]byte(body), &in); code != 200 || err != nil || in["shape"] != "{a: <number>}" || strings.Contains(body, "u003c") {
		t.Errorf("%d, %v: %s", code, err, body)
	}
	if code, body := get(t, s.Addr(), "/"); code != 200 || !strings.Contains(body, "/api/v1/findings") || !strings.Contains(body, "/metrics") || strings.Contains(body, "/api/v1/rules") || strings.Contains(body, "/debug/") {
		t.Errorf("landing page: %d", code)
	}
	for _, path := range []string{"/api/v1/rules", "/-/reload", "/nowhere", "/debug/pprof/"} {
		if code, _ := get(t, s.Addr(), path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
	post := func(r *http.Request) { r.Method = http.MethodPost }
	if code, _ := get(t, s.Addr(), "/api/v1/findings", post); code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", code)
	}
}

// The hash is of the password "test", at the lowest cost.
const basicAuth = "basic_auth_users:\n  prometheus: $2a$04$yyeNF.d7oxjrXYJ2l.FioegPceNfroAXxjisNK2AdoYnMmTTdplx2\n"

func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "web.yml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPasswordGuardsEverythingButTheHealthListener(t *testing.T) {
	s := started(t, Config{ConfigFile: configFile(t, basicAuth)})
	health, err := s.StartHealth("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.SetReady(true)
	as := func(password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth("prometheus", password) }
	}
	for _, path := range []string{"/metrics", "/", "/-/healthy"} {
		if code, _ := get(t, s.Addr(), path); code != http.StatusUnauthorized {
			t.Errorf("%s without a password: %d", path, code)
		}
		if code, _ := get(t, s.Addr(), path, as("wrong")); code != http.StatusUnauthorized {
			t.Errorf("%s with a wrong one: %d", path, code)
		}
		if code, _ := get(t, s.Addr(), path, as("test")); code != http.StatusOK {
			t.Errorf("%s with the right one: %d", path, code)
		}
	}
	for path, want := range map[string]int{"/-/healthy": 200, "/-/ready": 200, "/livez": 200, "/readyz": 200, "/metrics": 404, "/api/v1/findings": 404, "/": 404} {
		if code, _ := get(t, health.String(), path); code != want {
			t.Errorf("health listener, %s: %d, want %d", path, code, want)
		}
	}
}

func TestWrongConfigurationIsAnErrorAtStart(t *testing.T) {
	for name, path := range map[string]string{
		"absent": filepath.Join(t.TempDir(), "none.yml"), "no YAML": configFile(t, "{"), "unknown key": configFile(t, "basic_auth: {}\n"),
		"no certificate": configFile(t, "tls_server_config:\n  cert_file: none.crt\n  key_file: none.key\n"),
	} {
		s := New(Config{Listen: "127.0.0.1:0", ConfigFile: path, Logger: slog.New(slog.DiscardHandler)})
		if err := s.Start(); err == nil || !strings.Contains(err.Error(), "web.config.file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPortInUseNamesTheFlag(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := New(Config{Listen: l.Addr().String(), Logger: slog.New(slog.DiscardHandler)})
	if err := s.Start(); err == nil || !strings.Contains(err.Error(), "web.listen-address") {
		t.Errorf("%v", err)
	}
	if _, err := s.StartHealth(l.Addr().String()); err == nil || !strings.Contains(err.Error(), "health.listen-address") {
		t.Errorf("%v", err)
	}
	if err := s.Shutdown(t.Context()); err != nil || s.Addr() != "" {
		t.Errorf("a server that never ran: %v", err)
	}
}
