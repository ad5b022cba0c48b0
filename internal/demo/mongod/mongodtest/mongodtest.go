// Package mongodtest gives tests a real mongod.
package mongodtest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"mongoadvisor/internal/demo/mongod"
)

// find looks once per test binary, and not under the deadline of whichever test
// comes first: on a fresh machine it downloads.
var find = sync.OnceValues(func() (string, error) {
	return mongod.Find(context.Background(), mongod.Options{})
})

// Path is where the program is, for a test that starts it in its own way. It
// skips or fails as Start does.
func Path(t testing.TB) string {
	t.Helper()
	path, err := find()
	if err != nil {
		none(t, err)
	}
	return path
}

// Start gives a standalone server with empty data that ends with the test. Where
// none can be had the test is skipped, or fails when CI is set in the
// environment: there a skipped test would go unnoticed.
func Start(t testing.TB) *mongod.Process {
	t.Helper()
	return StartWith(t, mongod.StartOptions{})
}

// StartWith is Start with options, such as a replica set.
func StartWith(t testing.TB, opts mongod.StartOptions) *mongod.Process {
	t.Helper()
	if opts.Logf == nil {
		opts.Logf = t.Logf
	}
	p, err := mongod.Start(context.Background(), Path(t), opts)
	if err != nil {
		none(t, err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Errorf("mongod: %v", err)
		}
	})
	return p
}

// StartSet gives a replica set with empty data that ends with the test.
func StartSet(t testing.TB, opts mongod.SetOptions) *mongod.Set {
	t.Helper()
	if opts.Logf == nil {
		opts.Logf = t.Logf
	}
	s, err := mongod.StartSet(context.Background(), Path(t), opts)
	if err != nil {
		none(t, err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Errorf("mongod: %v", err)
		}
	})
	return s
}

func none(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, mongod.ErrUnavailable) && os.Getenv("CI") == "" {
		t.Skipf("needs a real server: %v", err)
	}
	t.Fatal(err)
}
