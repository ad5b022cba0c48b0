package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// monitoring finds a program of a Debian package, under the first of its names that is
// there. Without it the test is skipped; CI has it.
func monitoring(t *testing.T, debian string, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing, and CI is set", names[0])
	}
	t.Skipf("%s is not installed (Debian package %s)", names[0], debian)
	return ""
}

// serve runs such a program until the test ends, and waits until it is ready at its
// address, which is returned as a URL.
func serve(t *testing.T, address, path string, args ...string) string {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s:\n%s", path, log.String())
		}
	})
	eventually(t, path+" is ready", func() bool {
		resp, err := http.Get("http://" + address + "/-/ready")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return "http://" + address
}

// promQL is a running Prometheus, by its address.
type promQL string

// sample is one value of an instant vector.
type sample struct {
	Metric map[string]string
	Value  [2]any // time, text of the number
}

// get asks the API; the answer's data goes into to. What is no success fails the test.
func (p promQL) get(t *testing.T, path string, query url.Values, to any) {
	t.Helper()
	resp, err := http.Get(string(p) + path + "?" + query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.Unmarshal(b, &answer); err != nil || answer.Status != "success" {
		t.Fatalf("%s %v: %s %s %v", path, query, answer.Status, answer.Error, err)
	}
	if err := json.Unmarshal(answer.Data, to); err != nil {
		t.Fatalf("%s %v: %v", path, query, err)
	}
}

// ask evaluates an expression now.
func (p promQL) ask(t *testing.T, expr string) []sample {
	t.Helper()
	var data struct {
		ResultType string
		Result     []sample
	}
	p.get(t, "/api/v1/query", url.Values{"query": {expr}}, &data)
	if data.ResultType != "vector" {
		t.Errorf("%s is a %s", expr, data.ResultType)
	}
	return data.Result
}

// value is that of an expression with one result; "" of none.
func (p promQL) value(t *testing.T, expr string) string {
	t.Helper()
	samples := p.ask(t, expr)
	if len(samples) != 1 {
		return ""
	}
	text, _ := samples[0].Value[1].(string)
	return text
}
