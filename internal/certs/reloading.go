package certs

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// lookEvery is how often files are looked at, at most: at a handshake.
const lookEvery = time.Second

// reloading holds what was last read from files that may change. What cannot be
// read, or does not fit together because it is half written, leaves the old.
type reloading[T any] struct {
	paths  []string
	load   func() (T, error)
	report func(error)

	mu     sync.Mutex
	looked time.Time
	stamp  string
	value  T
}

// newReloading reads the files for the first time, when errors still count.
func newReloading[T any](load func() (T, error), report func(error), paths ...string) (*reloading[T], error) {
	r := &reloading[T]{load: load, report: report, looked: time.Now()}
	for _, p := range paths {
		if p != "" {
			r.paths = append(r.paths, p)
		}
	}
	r.stamp = r.look()
	var err error
	r.value, err = load()
	return r, err
}

// get is what the files say now.
func (r *reloading[T]) get() T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.looked) >= lookEvery {
		r.looked = now
		if stamp := r.look(); stamp != r.stamp {
			r.stamp = stamp
			r.reload()
		}
	}
	return r.value
}

func (r *reloading[T]) reload() {
	value, err := r.load()
	if err == nil {
		r.value = value
	}
	r.report(err)
}

// look tells versions of the files apart. Links are followed: a mounted secret
// is swapped by changing where a link points.
func (r *reloading[T]) look() string {
	var b strings.Builder
	for _, p := range r.paths {
		if info, err := os.Stat(p); err == nil {
			fmt.Fprintln(&b, info.ModTime().UnixNano(), info.Size())
		} else {
			fmt.Fprintln(&b, "absent")
		}
	}
	return b.String()
}
