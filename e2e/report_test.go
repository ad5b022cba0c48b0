package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestReportOfARunningProcess: it is the one that the process itself would write, also
// with user and password, and a baseline holds for it.
func TestReportOfARunningProcess(t *testing.T) {
	t.Parallel()
	server := mongodtest.Start(t)
	config := filepath.Join(t.TempDir(), "web.yml")
	users := "basic_auth_users:\n  prometheus: $2a$10$RqcJdtWy2N3CdL.Nn8iuk.1jwt5rykSJVhiuN.havWFK2n3oM9RRW\n" // of docs/security.md
	if err := os.WriteFile(config, []byte(users), 0o600); err != nil {
		t.Fatal(err)
	}
	health := freePort(t)
	p := launch{health: "http://" + health}.proxy(t, server.Addr(), "--web.config.file", config, "--health.listen-address", health)
	antiPatterns(t, connect(t, p.uri(""), "app"), 5)
	run := func(code int, url string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, append([]string{"report"}, args...)...)
		cmd.Env = append(os.Environ(), "MONGOADVISOR_URL="+url)
		out, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("%q: exit code %d, want %d\n%s", args, got, code, out)
		}
		if strings.Contains(string(out), "password@") || strings.Contains(string(out), "example-password") {
			t.Errorf("%q repeats the password:\n%s", args, out)
		}
		return string(out)
	}
	known := "http://prometheus:example-password@" + p.web
	var read struct{ Findings []finding }
	eventually(t, "all is judged", func() bool {
		err := json.Unmarshal([]byte(run(0, known, "--format", "json")), &read)
		return err == nil && len(read.Findings) >= 3
	})
	for _, f := range read.Findings {
		if text := run(0, known+"/"); !strings.Contains(text, f.Rule) || !strings.Contains(text, "(fingerprint "+f.Fingerprint+")") {
			t.Errorf("%s is missing:\n%s", f.Rule, text)
		}
	}
	baseline := filepath.Join(t.TempDir(), "baseline.json")
	run(1, known, "--fail-on", "low", "--write-baseline", baseline)
	run(0, known, "--fail-on", "low", "--baseline", baseline)
	if said := run(2, "http://"+p.web); !strings.Contains(said, p.web+" wants user and password") {
		t.Error(said)
	}
	if said := run(3, "http://"+health); !strings.Contains(said, "is it the web endpoint of mongoadvisor?") {
		t.Error(said)
	}
	p.stop()
	if said := run(4, known); !strings.Contains(said, p.web+" does not answer") {
		t.Error(said)
	}
}

// TestReportOfSomethingElse: what answers may be another program, or a later version.
func TestReportOfSomethingElse(t *testing.T) {
	for answer, says := range map[string]string{
		"<html>": "is no report", `{"schema": 99}`: "has schema 99, and this version reads 1", `[]`: "is no report", "": "is no report", strings.Repeat("[", 1<<20): "is no report",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }))
		cmd := exec.Command(program, "report", "--url", s.URL)
		out, _ := cmd.CombinedOutput()
		s.Close()
		if cmd.ProcessState.ExitCode() != 3 || !strings.Contains(string(out), says) || len(out) > 400 {
			t.Errorf("%.20q: %s", answer, out)
		}
	}
}
