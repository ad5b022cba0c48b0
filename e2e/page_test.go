package e2e

import (
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// block is the only block of a language on the page of security.
func block(t *testing.T, language string) string {
	t.Helper()
	page, err := os.ReadFile("../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```"+language+"\n")
	if len(blocks) != 2 {
		t.Fatalf("docs/security.md has %d blocks of %s", len(blocks)-1, language)
	}
	text, _, _ := strings.Cut(blocks[1], "```")
	return text
}

// needs skips where a program of the system is absent.
func needs(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

// TestWebConfigOfThePage runs the program with the example and holds what the page
// says of it.
func TestWebConfigOfThePage(t *testing.T) {
	dir := t.TempDir()
	pemFiles(t, dir, "web.crt", "web.key")
	config := filepath.Join(dir, "web-config.yml")
	text := block(t, "yaml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	health := freePort(t)
	p := launch{health: "http://" + health}.proxy(t, freePort(t), "--web.config.file", config, "--health.listen-address", health)
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // the test's own certificate
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	status := func(url, password string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if password != "" {
			r.SetBasicAuth("prometheus", password)
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	want := func(code int, url, password string) {
		t.Helper()
		got, body := status(url, password)
		if got != code || code != http.StatusOK && strings.Contains(body, "mongoadvisor") {
			t.Errorf("%s with password %q: %d, want %d: %.200s", url, password, got, code, body)
		}
	}
	for _, path := range []string{"/", "/metrics", "/api/v1/findings", "/api/v1/status", "/-/healthy", "/-/ready"} {
		want(http.StatusUnauthorized, "https://"+p.web+path, "")
		want(http.StatusUnauthorized, "https://"+p.web+path, "wrong")
		want(http.StatusOK, "https://"+p.web+path, "example-password")
		want(http.StatusBadRequest, "http://"+p.web+path, "example-password")
		if strings.HasPrefix(path, "/-/") {
			want(http.StatusOK, "http://"+health+path, "")
		} else {
			want(http.StatusNotFound, "http://"+health+path, "example-password")
		}
	}
	if out, err := exec.Command(program, "healthcheck", "--url", "http://"+health+"/-/ready").CombinedOutput(); err != nil {
		t.Errorf("healthcheck: %v: %s", err, out)
	}
	other := strings.Replace(text, "prometheus:", "somebody:", 1)
	if err := os.WriteFile(config, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	want(http.StatusUnauthorized, "https://"+p.web+"/metrics", "example-password")
}

// TestUnitOfThePage: systemd has no complaint about the unit.
func TestUnitOfThePage(t *testing.T) {
	needs(t, "systemd-analyze")
	unit := filepath.Join(t.TempDir(), "mongoadvisor.service")
	const installed = "/usr/local/bin/mongoadvisor"
	text := block(t, "ini")
	if !strings.Contains(text, installed+" ") {
		t.Fatal("the unit starts something else")
	}
	if err := os.WriteFile(unit, []byte(strings.Replace(text, installed, program, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit).CombinedOutput()
	if err != nil || strings.Contains(string(out), "mongoadvisor.service") {
		t.Errorf("%v: %s", err, out)
	}
}
