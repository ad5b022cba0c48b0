package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// suite is a `mongoadvisor run` around a command that writes down its environment and
// waits, while the test does with the connection strings what the command would.
type suite struct {
	by     func(name string, args ...string) *exec.Cmd // nil: exec.Command
	env    []string
	flags  []string
	exit   int
	output string
	report struct{ Findings []finding }
}

const waits = `env > uris.tmp; mv uris.tmp uris; while [ ! -e done ]; do sleep 0.02; done`

// run calls use while the command waits.
func (s *suite) run(t *testing.T, use func(variable func(name string) string)) {
	t.Helper()
	dir, command := t.TempDir(), s.by
	if command == nil {
		command = exec.Command
	}
	args := append([]string{"run", "--output", "report.json"}, s.flags...)
	cmd := command(program, append(args, "--", "sh", "-c", waits)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append([]string{"MONGODB_URI=", "GITHUB_ACTIONS="}, s.env...)...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	eventually(t, "the command runs", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("it ended: %v\n%s", err, out.String())
		default:
		}
		_, err := os.Stat(filepath.Join(dir, "uris"))
		return err == nil
	})
	raw, err := os.ReadFile(filepath.Join(dir, "uris"))
	if err != nil {
		t.Fatal(err)
	}
	use(func(name string) string {
		for line := range strings.Lines(string(raw)) {
			if value, ok := strings.CutPrefix(line, name+"="); ok {
				return strings.TrimSuffix(value, "\n")
			}
		}
		t.Errorf("the command has no %s", name)
		return ""
	})
	if err := os.WriteFile(filepath.Join(dir, "done"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := <-ended; err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	s.exit, s.output = cmd.ProcessState.ExitCode(), out.String()
	raw, err = os.ReadFile(filepath.Join(dir, "report.json"))
	if err == nil {
		err = json.Unmarshal(raw, &s.report)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, s.output)
	}
}

// judged fails unless the run was green and has the finding of badQuery there.
func (s *suite) judged(t *testing.T, namespaces ...string) {
	t.Helper()
	if s.exit != 0 {
		t.Errorf("exit code %d\n%s", s.exit, s.output)
	}
	for _, ns := range namespaces {
		found := false
		for _, f := range s.report.Findings {
			found = found || f.Rule == "Q02" && f.Namespace == ns
		}
		if !found {
			t.Errorf("what was done on %s did not go through the proxy:\n%s", ns, s.output)
		}
	}
}

// badQuery is one with a finding that does not fail a build, and what is to be looked at
// beside it. The client is gone before the proxy is.
func badQuery(t *testing.T, uri, database string, look ...func(*testing.T, *mongo.Client)) {
	t.Helper()
	c := connect(t, uri, "")
	if _, err := c.Database(database).Collection("c").Find(t.Context(), bson.D{{Key: "name", Value: bson.Regex{Pattern: "x", Options: "i"}}}); err != nil {
		t.Fatal(err)
	}
	for _, f := range look {
		f(t, c)
	}
	_ = c.Disconnect(t.Context())
}

// ada is somebody whose password has everything in it that a URI means something by.
const ada = "ada:p%40ss%2Fw%3Ao%3Fr%23d"

// addAda makes the user on a server.
func addAda(t *testing.T, p *mongod.Process) {
	t.Helper()
	create := bson.D{{Key: "createUser", Value: "ada"}, {Key: "pwd", Value: "p@ss/w:o?r#d"}, {Key: "roles", Value: bson.A{"root"}}}
	if err := connect(t, p.URI(), "").Database("admin").RunCommand(t.Context(), create).Err(); err != nil {
		t.Fatal(err)
	}
}

// loggedIn fails unless the client is that user.
func loggedIn(t *testing.T, c *mongo.Client) {
	t.Helper()
	var status struct {
		AuthInfo struct{ AuthenticatedUsers []struct{ User string } } `bson:"authInfo"`
	}
	err := c.Database("admin").RunCommand(t.Context(), bson.D{{Key: "connectionStatus", Value: 1}}).Decode(&status)
	if users := status.AuthInfo.AuthenticatedUsers; err != nil || len(users) != 1 || users[0].User != "ada" {
		t.Errorf("logged in are %+v, %v", users, err)
	}
}

// parts takes a connection string apart and fails unless it leads to n listeners on
// loopback, as ada, to the database shop.
func parts(t *testing.T, uri string, n int) string {
	t.Helper()
	rest, ok := strings.CutPrefix(uri, "mongodb://"+ada+"@")
	hosts, options, _ := strings.Cut(rest, "/shop?")
	if list := strings.Split(hosts, ","); !ok || len(list) != n || strings.Count(hosts, "127.0.0.1:") != n {
		t.Errorf("the connection string is %s: want %d listeners, and user and database as they were", uri, n)
	}
	return options
}

// TestRunBeforeASet: login, database and options go on to the command, and it reaches
// the whole set through the proxy.
func TestRunBeforeASet(t *testing.T) {
	set := mongodtest.StartSet(t, mongod.SetOptions{})
	primary, err := set.Primary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	addAda(t, primary)
	var hosts []string
	for _, m := range set.Members {
		hosts = append(hosts, m.Addr())
	}
	const options = "replicaSet=rs0&authSource=admin&w=majority&readPreference=secondaryPreferred&appName=tests"
	s := suite{env: []string{"MONGODB_URI=mongodb://" + ada + "@" + strings.Join(hosts[:2], ",") + "/shop?" + options}}
	s.run(t, func(variable func(string) string) {
		uri := variable("MONGODB_URI")
		if got := parts(t, uri, 3); got != options {
			t.Errorf("options %s, want %s", got, options)
		}
		badQuery(t, uri, "shop", loggedIn)
	})
	s.judged(t, "shop.c")
}

// TestRunBeforeASocket: the server listens on a Unix socket.
func TestRunBeforeASocket(t *testing.T) {
	server := mongodtest.Start(t)
	addAda(t, server)
	path := filepath.Join(t.TempDir(), "mongodb.sock")
	relay(t, path, server.Addr())
	s := suite{env: []string{"MONGODB_URI=mongodb://" + ada + "@" + url.PathEscape(path) + "/shop?authSource=admin&appName=tests"}}
	s.run(t, func(variable func(string) string) {
		uri := variable("MONGODB_URI")
		if got := parts(t, uri, 1); got != "authSource=admin&appName=tests&directConnection=true" {
			t.Errorf("options %s", got)
		}
		badQuery(t, uri, "shop", loggedIn)
	})
	s.judged(t, "shop.c")
}

// relay passes connections to a Unix socket on.
func relay(t *testing.T, path, to string) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("tcp", to)
			if err != nil {
				_ = c.Close()
				continue
			}
			for _, pair := range [][2]net.Conn{{c, up}, {up, c}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				}()
			}
		}
	}()
}

// TestRunWithSeveralVariables: each leads to the proxy, with its own database; one that
// was not set, too.
func TestRunWithSeveralVariables(t *testing.T) {
	server := mongodtest.Start(t)
	s := suite{
		env:   []string{"ORDERS_URL=mongodb://" + server.Addr() + "/orders?appName=orders", "BILLS_URL=mongodb://" + server.Addr() + "/bills"},
		flags: []string{"--env", "ORDERS_URL", "--env", "BILLS_URL", "--env", "NEW_URL"},
	}
	s.run(t, func(variable func(string) string) {
		for name, database := range map[string]string{"ORDERS_URL": "orders", "BILLS_URL": "bills", "NEW_URL": "new", "MONGODB_URI": "standard"} {
			uri := variable(name)
			if strings.Contains(uri, server.Addr()) {
				t.Errorf("%s goes round the proxy: %s", name, uri)
			}
			badQuery(t, uri, database)
		}
	})
	s.judged(t, "orders.c", "bills.c", "new.c", "standard.c")
}

// TestRunWithAServerOfItsOwn: an empty server knows neither the users nor the set of the
// one that the variable names.
func TestRunWithAServerOfItsOwn(t *testing.T) {
	s := suite{
		env:   []string{"MONGODB_URI=mongodb+srv://" + ada + "@cluster.example.net/shop?replicaSet=rs0&authSource=admin&appName=tests", mongod.EnvPath + "=" + mongodtest.Path(t)},
		flags: []string{"--mongod"},
	}
	s.run(t, func(variable func(string) string) { badQuery(t, variable("MONGODB_URI"), "shop") })
	s.judged(t, "shop.c")
}

// ran runs a command whose output goes to a file, as in a build, and tells it something
// once the file ready is there. It returns the exit code and the output.
func ran(t *testing.T, script string, flags []string, tell func(p *os.Process)) (int, string) {
	t.Helper()
	needs(t, "bash")
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(program, append(append([]string{"run", "--upstream", freePort(t)}, flags...), "--", "bash", "-c", script)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.Env = append(os.Environ(), "MONGODB_URI=", "GITHUB_ACTIONS=")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if tell != nil {
		eventually(t, "the command is ready", func() bool {
			_, err := os.Stat(filepath.Join(dir, "ready"))
			return err == nil
		})
		tell(cmd.Process)
	}
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var failed *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	for _, name := range []string{"pid", "pid2"} { // whom the command has left behind
		if raw, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			if pid, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// TestRunEnds: however the command ends or does not, the run ends with its exit code and
// a report.
func TestRunEnds(t *testing.T) {
	signal := func(s syscall.Signal) func(*os.Process) {
		return func(p *os.Process) { _ = p.Signal(s) }
	}
	for name, tt := range map[string]struct {
		script string
		flags  []string
		tell   func(*os.Process)
		exit   int
		say    string
	}{
		"fails":                {script: "exit 7", exit: 7, say: "bash ended with exit code 7"},
		"is killed":            {script: "kill -9 $$", exit: 137, say: "bash ended with exit code 137"},
		"ends when it is told": {script: "trap 'exit 5' TERM; touch ready; while :; do sleep 0.02; done", tell: signal(syscall.SIGTERM), exit: 5},
		"dies when it is told": {script: "touch ready; while :; do sleep 0.02; done", tell: signal(syscall.SIGTERM), exit: 143},
		"ignores SIGTERM":      {script: "trap '' TERM INT; touch ready; while :; do sleep 0.02; done", flags: []string{"--shutdown.grace", "100ms"}, tell: signal(syscall.SIGTERM), exit: 137},
		"ignores SIGINT":       {script: "trap '' TERM INT; touch ready; while :; do sleep 0.02; done", flags: []string{"--shutdown.grace", "100ms"}, tell: signal(syscall.SIGINT), exit: 137},
		"leaves others behind": {script: "sleep 300 & echo $! > pid; exit 3", exit: 3},
		"leaves one that ignores signals behind": {
			script: "(trap '' TERM INT HUP; echo $BASHPID > pid2; exec sleep 300) & trap '' TERM; touch ready; while :; do sleep 0.02; done",
			flags:  []string{"--shutdown.grace", "100ms"}, tell: signal(syscall.SIGTERM), exit: 137,
		},
		"never connects": {script: "true", exit: 3, say: "bash never connected through the proxy: does it take its connection string from MONGODB_URI?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exit, out := ran(t, tt.script, tt.flags, tt.tell)
			if exit != tt.exit || !strings.Contains(out, tt.say) || !strings.Contains(out, "Coverage  100.0 %") {
				t.Errorf("exit code %d, want %d and a report and %q\n%s", exit, tt.exit, tt.say, out)
			}
		})
	}
}

// TestRunDoesNotWaitForStrangers: a process that a command left behind holds a connection
// through the proxy; the run ends all the same.
func TestRunDoesNotWaitForStrangers(t *testing.T) {
	server := mongodtest.Start(t)
	script := `hostport=${MONGODB_URI#mongodb://}; hostport=${hostport%%/*}; exec 3<>/dev/tcp/${hostport%:*}/${hostport#*:}; sleep 300 & echo $! > pid`
	exit, out := ran(t, script, []string{"--upstream", server.Addr()}, nil)
	if exit != 0 || !strings.Contains(out, "on 1 connection") {
		t.Errorf("exit code %d\n%s", exit, out)
	}
}
