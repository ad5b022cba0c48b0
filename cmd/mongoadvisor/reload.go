package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"

	"mongoadvisor/internal/sink"
)

// lookEvery is how often the files of the configuration are looked at. A change is taken
// over at the second look after it.
const lookEvery = 2 * time.Second

// reloader puts a changed configuration in force while everything goes on: by a signal,
// by a request, and when a file has changed. The methods take nil for a command that has
// one configuration for good.
type reloader struct {
	service *service
	level   zap.AtomicLevel // of the program's own log
	signals chan os.Signal
	done    chan struct{}

	failed atomic.Bool               // the last reload
	read   atomic.Pointer[time.Time] // when the configuration in force was read

	mu      sync.Mutex // of one reload at a time, and of what follows
	stopped bool
	watched watched
}

func newReloader(s *service) *reloader {
	r := &reloader{service: s, level: zap.NewAtomicLevel(), signals: make(chan os.Signal, 1), done: make(chan struct{}), watched: watched{}}
	now := time.Now()
	r.read.Store(&now)
	r.watched.take(s.config.file, s.config.Baseline)
	signal.Notify(r.signals, syscall.SIGHUP) // it would end the program
	return r
}

// start follows signals and files until stop.
func (r *reloader) start() {
	if r == nil {
		return
	}
	for path, f := range r.watched {
		if f.taken == contentUnreadable || f.taken == contentAbsent {
			r.service.logger.Warn("a file of the configuration cannot be read any more with the rights this process has now; changes of it will not be seen, and reloading fails", zap.String("file", path), zap.Int("user", os.Geteuid()))
		}
	}
	go r.follow()
}

func (r *reloader) follow() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-r.done:
			return
		case <-r.signals:
			_, _ = r.reload("SIGHUP")
		case <-tick.C:
			r.look()
		}
	}
}

// look reloads when a file has changed.
func (r *reloader) look() {
	r.mu.Lock()
	path, changed := r.watched.changed()
	r.mu.Unlock()
	if changed {
		_, _ = r.reload("change of " + path)
	}
}

// stop ends reloading: what is under way is finished, and nothing changes any more. The
// signal goes on being taken, or it would end the program. It may be called again.
func (r *reloader) stop() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.stopped = true
		close(r.done)
	}
}

// asked is a reload by request. It says what the one who asks wants to know; the error
// has no password in it.
func (r *reloader) asked() func() (string, error) {
	if r == nil {
		return nil
	}
	return func() (string, error) {
		kept, err := r.reload("request")
		if err != nil {
			return "", errors.New(clean(err))
		}
		if len(kept) > 0 {
			return "reloaded; a restart is needed for " + strings.Join(kept, ", "), nil
		}
		return "reloaded", nil
	}
}

// state tells whether the configuration in force is the one last read, and when it was
// read; at is the start.
func (r *reloader) state(at time.Time) func() (bool, time.Time) {
	if r == nil {
		return func() (bool, time.Time) { return true, at }
	}
	return func() (bool, time.Time) { return !r.failed.Load(), *r.read.Load() }
}

var errStopping = errors.New("the program is stopping")

// reload reads everything anew and puts it in force, all or nothing. It names the keys
// that changed and need a restart.
func (r *reloader) reload(cause string) (kept []string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return nil, errStopping
	}
	tellManager(reloading())
	defer tellManager(serving)
	log := r.service.logger.With(zap.String("cause", cause))
	changed, kept, err := r.replace()
	r.failed.Store(err != nil)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w; this process has the rights of user %d now", err, os.Geteuid())
		}
		log.Error("configuration not reloaded; the old one stays in force", zap.String("error", clean(err)))
		return nil, err
	}
	now := time.Now()
	r.read.Store(&now)
	log.Info("configuration reloaded", zap.Strings("changed", changed))
	if len(kept) > 0 {
		log.Warn("these keys changed and need a restart; they keep their old values", zap.Strings("keys", kept))
	}
	return kept, nil
}

// replace makes and checks all parts of the new configuration, then exchanges them.
func (r *reloader) replace() (changed, kept []string, err error) {
	s := r.service
	force := s.force.Load()
	r.watched.take(s.config.file, force.config.Baseline)
	if err := readable(s.config.file); err != nil {
		return nil, nil, fmt.Errorf("config.file %w", err)
	}
	next, err := s.config.again()
	if err != nil {
		return nil, nil, err
	}
	merged, changed, kept := force.config.takeOver(next)
	r.watched.take(s.config.file, merged.Baseline)
	j, err := merged.judgement(force.catalogue)
	if err != nil {
		return nil, nil, err
	}
	routes, err := merged.routes(s.store.Findings, s.sinks.Runs)
	if err != nil {
		return nil, nil, err
	}
	r.apply(j, routes)
	return changed, kept, nil
}

// apply cannot fail. What was found before is muted at once if it is to be, and once
// more when the last operation under the old configuration has been judged.
func (r *reloader) apply(j *judgement, routes []sink.Route) {
	s := r.service
	judging := j.judging()
	judging.Adopted = func() { s.store.Mute(s.engine.Ignored) }
	s.sinks.Exchange(routes)
	s.store.Configure(j.reporting())
	s.force.Store(j)
	s.engine.Configure(judging)
	judging.Adopted()
	r.level.SetLevel(logLevel(j.config))
}

// readable finds out what cannot be read a second time, or is not meant to be read now.
func readable(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, trouble(err))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file, and cannot be read again", path)
	case info.Size() == 0:
		return fmt.Errorf("%s is empty; for all defaults write a comment into it", path)
	}
	return nil
}
