package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestRecords: each finding is one JSON record on standard output, with the
// object under "finding", at first sight and not again.
func TestRecords(t *testing.T) {
	server := mongodtest.Start(t)
	p := startProxy(t, server.Addr())
	client := connect(t, p.uri(""), "checkout")
	users := client.Database("shop").Collection("users")
	for range 5 {
		if err := users.FindOne(t.Context(), bson.D{{Key: "name", Value: bson.Regex{Pattern: "^secret-name$", Options: "i"}}}).Err(); err == nil {
			t.Fatal("found a user in an empty collection")
		}
	}
	p.settled()
	if err := client.Disconnect(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.stop()
	var seen []record
	for _, r := range p.records {
		if r.Finding != nil {
			seen = append(seen, r)
		}
		if strings.Contains(r.raw, "secret") {
			t.Errorf("a literal left: %s", r.raw)
		}
	}
	if len(seen) != 1 || seen[0].Finding.Rule != "Q02" || seen[0].Logger != "finding" || seen[0].Finding.Namespace != "shop.users" {
		t.Fatalf("want one record of Q02 on shop.users, got %+v", p.records)
	}
	var keys struct{ Finding json.RawMessage }
	if err := json.Unmarshal([]byte(seen[0].raw), &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"schema", "fingerprint", "rule", "name", "reason", "severity", "confidence", "status", "namespace", "command",
		"fields", "shape", "message", "advice", "fix", "evidence", "count", "first_seen", "last_seen", "latency_ms", "clients", "impact", "docs",
	} {
		if !strings.Contains(string(keys.Finding), `"`+key+`":`) {
			t.Errorf("the object lacks %q", key)
		}
	}
	if strings.Contains(p.errors(), "secret") {
		t.Error("a literal left through standard error")
	}
}

// TestMetricsAreWellFormed asks promtool, which knows what Prometheus expects.
func TestMetricsAreWellFormed(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("promtool is missing, and CI is set")
		}
		t.Skip("promtool is not installed (Debian package prometheus)")
	}
	server := mongodtest.Start(t)
	p := startProxy(t, server.Addr())
	c := connect(t, p.uri(""), "app")
	if err := c.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	p.settled()
	metrics := string(p.get("/metrics"))
	check := exec.Command(promtool, "check", "metrics")
	check.Stdin = strings.NewReader(metrics)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
	for _, want := range []string{
		`mongoadvisor_findings\{rule="Q02",severity="medium",status="open"\} 0`,
		`mongoadvisor_rule_panics_total\{rule="W01"\} 0`, `mongoadvisor_coverage_ratio 1`,
		`mongoadvisor_upstream_up\{listener="[^"]+"\} 1`, `mongoadvisor_messages_total\{direction="client",opcode="OP_MSG"\} [1-9]`,
		`mongoadvisor_commands_total\{command="ping"\} [1-9]`, `mongoadvisor_forwarded_bytes_total\{direction="client_to_server"\} [1-9]`,
	} {
		if !regexp.MustCompile(want).MatchString(metrics) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
}
