package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// Passwords that must not be found anywhere.
const (
	firstSecret  = "correcthorsebattery"
	secondSecret = "staplexyzzyplugh"
)

// TestNoCredentialLeaves: users are made, changed and logged in through the proxy;
// nothing that it writes, serves or is started with holds a password.
func TestNoCredentialLeaves(t *testing.T) {
	server := mongodtest.Start(t)
	report := t.TempDir() + "/report.json"
	p := startProxy(t, server.Addr(), "--output", report, "--format", "json", "--log.level", "debug")
	admin := connect(t, p.uri(""), "admin").Database("admin")
	for _, command := range []bson.D{
		{{Key: "createUser", Value: "alice"}, {Key: "pwd", Value: firstSecret}, {Key: "roles", Value: bson.A{"root"}}},
		{{Key: "updateUser", Value: "alice"}, {Key: "pwd", Value: secondSecret}},
	} {
		if err := admin.RunCommand(t.Context(), command).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, mechanism := range []string{"SCRAM-SHA-1", "SCRAM-SHA-256"} {
		login(t, p, mechanism, secondSecret, true)
		login(t, p, mechanism, firstSecret, false)
	}
	p.settled()
	out := map[string]string{}
	for _, path := range []string{"/", "/metrics", "/api/v1/findings", "/api/v1/coverage", "/api/v1/rules", "/api/v1/status"} {
		out[path] = string(p.get(path))
	}
	if !strings.Contains(out["/metrics"], `mongoadvisor_commands_total{command="createUser"} 1`) &&
		!strings.Contains(out["/metrics"], `mongoadvisor_commands_total{command="other"}`) {
		t.Error("the commands did not pass through the analysis")
	}
	for _, name := range []string{"cmdline", "environ"} {
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, name)); err == nil {
			out[name] = string(b)
		}
	}
	p.stop()
	b, err := os.ReadFile(report)
	if err != nil || len(b) == 0 {
		t.Fatalf("the report: %d bytes, %v", len(b), err)
	}
	out["report"], out["log"] = string(b), p.errors()
	for _, r := range p.records {
		out["findings"] += r.raw
	}
	for where, text := range out {
		for _, secret := range []string{firstSecret, secondSecret} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds a password", where)
			}
		}
	}
}

func login(t *testing.T, p *proxied, mechanism, password string, good bool) {
	t.Helper()
	c, err := mongo.Connect(options.Client().ApplyURI(p.uri("")).SetServerSelectionTimeout(20 * time.Second).
		SetAuth(options.Credential{AuthMechanism: mechanism, Username: "alice", Password: password, AuthSource: "admin"}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Disconnect(t.Context()) }()
	if err := c.Ping(t.Context(), nil); (err == nil) != good {
		t.Errorf("%s: %v", mechanism, err)
	}
}

// TestUpstreamWithPassword: it is refused, and not repeated.
func TestUpstreamWithPassword(t *testing.T) {
	out, err := exec.Command(program, "proxy", "--upstream", "mongodb://alice:"+firstSecret+"@127.0.0.1:1/").CombinedOutput()
	if err == nil || strings.Contains(string(out), firstSecret) || len(out) == 0 {
		t.Errorf("%v, it says %q", err, out)
	}
}
