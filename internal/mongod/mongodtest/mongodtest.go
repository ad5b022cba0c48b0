// Package mongodtest gives tests a real mongod.
package mongodtest

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"mongoadvisor/internal/mongod"
)

var (
	once sync.Once
	path string
	err  error
)

// Path finds a mongod once per test binary. Without one the test is skipped;
// with CI set it fails, so that a green run means that it ran.
func Path(t testing.TB) string {
	t.Helper()
	once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		path, err = mongod.Find(ctx, mongod.Options{})
	})
	if err != nil {
		giveUp(t, err)
	}
	return path
}

// Start runs a mongod for one test.
func Start(t testing.TB) *mongod.Process { return StartWith(t, mongod.StartOptions{}) }

// StartWith runs a mongod with options for one test.
func StartWith(t testing.TB, o mongod.StartOptions) *mongod.Process {
	t.Helper()
	p, err := mongod.Start(context.Background(), Path(t), o)
	if err != nil {
		giveUp(t, err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Errorf("stopping mongod: %v", err)
		}
	})
	return p
}

func giveUp(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("no mongod, and CI is set: %v", err)
	}
	t.Skipf("no mongod: %v", err)
}
