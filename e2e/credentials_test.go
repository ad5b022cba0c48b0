package e2e

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// Credentials that must not be found anywhere. The second password must be
// escaped in a URI.
const (
	secretUser   = "aliceinchains"
	firstSecret  = "correcthorsebattery"
	secondSecret = "staple/xyzzy:plugh@%20+&"
)

// TestNoCredentialLeaves: users are made, changed and logged in through the proxy
// in every way. Nothing that it writes, serves or is started with holds a password
// or a part of what was said to log in, in any form.
func TestNoCredentialLeaves(t *testing.T) {
	t.Parallel()
	server := mongodtest.Start(t)
	dir := t.TempDir()
	report, baseline := filepath.Join(dir, "report.json"), filepath.Join(dir, "baseline.json")
	p := startProxy(t, server.Addr(), "--output", report, "--format", "json", "--write-baseline", baseline, "--log.level", "debug")
	between := newRecorder(t, p.addr)
	address := between.l.Addr().String()
	useCredentials(t, address)
	p.settled()
	out := map[string]string{}
	for _, path := range []string{"/", "/metrics", "/api/v1/findings", "/api/v1/coverage", "/api/v1/rules", "/api/v1/status"} {
		out[path] = string(p.get(path))
		if len(out[path]) == 0 {
			t.Errorf("%s is empty", path)
		}
	}
	for _, command := range []string{"createUser", "updateUser", "saslStart", "saslContinue", "usersInfo"} {
		if series := fmt.Sprintf("mongoadvisor_commands_total{command=%q} ", command); !strings.Contains(out["/metrics"], series) || strings.Contains(out["/metrics"], series+"0\n") {
			t.Errorf("%s did not pass through the analysis", command)
		}
	}
	for _, name := range []string{"cmdline", "environ"} {
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, name)); err == nil {
			out[name] = string(b)
		}
	}
	s := secrets{}
	s.add("a user", secretUser)
	s.addPassword(secretUser, firstSecret)
	s.addPassword(secretUser, secondSecret)
	first, proofs := 0, 0
	for _, stream := range between.end() {
		for _, payload := range payloads(stream) {
			s.addPayload(payload)
			if strings.HasPrefix(string(payload), "n,,n=") {
				first++
			}
			if strings.Contains(string(payload), ",p=") {
				proofs++
			}
		}
	}
	if first < 4 || proofs < 4 || !s.knows("\x00"+secretUser+"\x00"+firstSecret) {
		t.Errorf("%d first and %d final messages of SCRAM were seen, and PLAIN's %v", first, proofs, s.knows("\x00"+secretUser+"\x00"+firstSecret))
	}
	p.stop()
	for name, path := range map[string]string{"report": report, "baseline": baseline} {
		b, err := os.ReadFile(path)
		if err != nil || len(b) == 0 {
			t.Fatalf("the %s: %d bytes, %v", name, len(b), err)
		}
		out[name] = string(b)
	}
	out["log"] = p.errors()
	for _, r := range p.records {
		out["findings"] += r.raw
	}
	if out["findings"] == "" {
		t.Error("nothing was found: the traffic tests nothing")
	}
	for where, text := range out {
		for _, what := range s.foundIn(text) {
			t.Errorf("%s holds %s", where, what)
		}
	}
}

// useCredentials does what carries them, at an address.
func useCredentials(t *testing.T, address string) {
	t.Helper()
	plain := "mongodb://" + address + "/?directConnection=true"
	admin := connect(t, plain, "admin").Database("admin")
	for _, command := range []bson.D{
		{{Key: "createUser", Value: secretUser}, {Key: "pwd", Value: firstSecret}, {Key: "roles", Value: bson.A{"root"}}},
		{{Key: "updateUser", Value: secretUser}, {Key: "pwd", Value: secondSecret}},
		{{Key: "usersInfo", Value: secretUser}, {Key: "showCredentials", Value: true}},
	} {
		if err := admin.RunCommand(t.Context(), command).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, mechanism := range []string{"SCRAM-SHA-1", "SCRAM-SHA-256", ""} { // "": the driver's choice, in its hello
		login(t, plain, mechanism, secondSecret, true)
		login(t, plain, mechanism, firstSecret, false)
	}
	login(t, plain, "PLAIN", firstSecret, false) // this server has none, and is told the password all the same
	uri := fmt.Sprintf("mongodb://%s:%s@%s/?directConnection=true&authSource=admin", secretUser, url.QueryEscape(secondSecret), address)
	c := connect(t, uri, "app").Database("shop").Collection("c")
	for range 3 { // and there is something to be found
		if _, err := c.CountDocuments(t.Context(), bson.D{{Key: "a", Value: bson.Regex{Pattern: "x", Options: "i"}}}); err != nil {
			t.Fatal(err)
		}
	}
}

func login(t *testing.T, uri, mechanism, password string, good bool) {
	t.Helper()
	source := "admin"
	if mechanism == "PLAIN" {
		source = "$external"
	}
	c, err := mongo.Connect(options.Client().ApplyURI(uri).SetServerSelectionTimeout(20 * time.Second).
		SetAuth(options.Credential{AuthMechanism: mechanism, Username: secretUser, Password: password, AuthSource: source}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = c.Disconnect(ctx)
	}()
	if err := c.Ping(t.Context(), nil); (err == nil) != good {
		t.Errorf("%q: %v", mechanism, err)
	}
}

// TestUpstreamWithPassword: it is refused in every place in which it can be given,
// and not repeated.
func TestUpstreamWithPassword(t *testing.T) {
	s := secrets{}
	s.addPassword(secretUser, firstSecret)
	s.addPassword(secretUser, secondSecret)
	for _, password := range []string{firstSecret, url.QueryEscape(secondSecret), secondSecret} {
		for _, upstream := range []string{
			"mongodb://" + secretUser + ":" + password + "@127.0.0.1:1/", "mongodb+srv://" + secretUser + ":" + password + "@127.0.0.1/",
			secretUser + ":" + password + "@127.0.0.1:1", "mongodb://" + secretUser + ":" + password + "@127.0.0.1:1/?tls=true",
		} {
			file := filepath.Join(t.TempDir(), "mongoadvisor.yaml")
			if err := os.WriteFile(file, []byte("upstream: '"+upstream+"'\nupstraem: x\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"proxy", "--upstream", upstream},
				{"proxy", "--topology", "--upstream", upstream},
				{"proxy", "127.0.0.1:0=" + upstream},
				{"proxy", upstream},
				{"config", "check", file},
				{"proxy", "--config.file", file},
				{"proxy"},
			} {
				cmd := exec.Command(program, args...)
				cmd.Env = append(os.Environ(), "MONGOADVISOR_WEB_LISTEN_ADDRESS=")
				if len(args) == 1 {
					cmd.Env = append(cmd.Env, "MONGOADVISOR_UPSTREAM="+upstream)
				}
				out, err := cmd.CombinedOutput()
				if err == nil || len(out) == 0 {
					t.Errorf("%s is not refused: %v", args, err)
				}
				for _, what := range s.foundIn(string(out)) {
					t.Errorf("%.40s: it says %s", args, what)
				}
			}
		}
	}
}
