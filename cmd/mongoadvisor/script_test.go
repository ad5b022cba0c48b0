package main

import (
	"os"
	"path/filepath"
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
	}})
}
