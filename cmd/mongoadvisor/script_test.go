package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mongoadvisor/internal/corpus"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"mongoadvisor": func() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the command line as a user does: see testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", Setup: func(env *testscript.Env) error {
		env.Setenv("CAPTURES", filepath.Join(corpus.Root(), "internal", "session", "testdata"))
		env.Setenv("FORMS", filepath.Join(corpus.Root(), "internal", "source", "pcap", "testdata"))
		return nil
	}, Cmds: map[string]func(*testscript.TestScript, bool, []string){"fails": fails, "taken": taken}, Condition: condition})
}

// fails runs mongoadvisor, which must end with an exit code: fails 2 proxy --frobnicate.
// It has nothing to say on standard output then, and none of the words pencil, eraser
// and hunter2 on standard error, which the scripts have for passwords.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fails CODE ARGUMENT...")
	}
	err := ts.Exec("mongoadvisor", args[1:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || strconv.Itoa(exit.ExitCode()) != args[0] {
		ts.Fatalf("mongoadvisor ended with %v", err)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("it says on standard output: %s", out)
	}
	message := ts.ReadFile("stderr")
	if !strings.Contains("\n"+message, "\nmongoadvisor: ") { // behind records of the log
		ts.Fatalf("it says %q", message)
	}
	for _, secret := range []string{"pencil", "eraser", "hunter2"} {
		if strings.Contains(message, secret) {
			ts.Fatalf("it repeats a password: %s", message)
		}
	}
}

// taken listens on a port of loopback as long as the script runs: taken VARIABLE.
func taken(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: taken VARIABLE")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	ts.Setenv(args[0], port)
}

// condition is what scripts may ask for beside what they can anyway.
func condition(name string) (bool, error) {
	if name == "root" {
		return os.Getuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}
