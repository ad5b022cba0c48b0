package main

import (
	"bytes"
	"strings"
	"testing"

	"mongoadvisor/internal/store"
)

// TestPanicsAreNamedByKind: what a panic says may be what passed, and is in no log.
func TestPanicsAreNamedByKind(t *testing.T) {
	c := defaults(store.CI)
	c.Log.Level = "debug"
	var log bytes.Buffer
	p, err := newPipeline(c, newLogger(c, &log), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		p.server(pair{listen: "127.0.0.1:0"}).Hooks.TapPanic("a payload: n,,n=alice,r=fyko")
	}
	if out := log.String(); strings.Count(out, "\n") != 1 || !strings.Contains(out, `"panic":"string"`) || strings.Contains(out, "alice") {
		t.Errorf("the log has %s", out)
	}
}
