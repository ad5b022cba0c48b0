package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
	"mongoadvisor/internal/store/disk"
	"mongoadvisor/internal/store/shared"
)

// Storage configures where findings are kept beyond the process.
type Storage struct {
	Path        string   `yaml:"path"`
	URI         string   `yaml:"uri"`
	Interval    duration `yaml:"interval"`
	HistorySize size     `yaml:"history-size"`
}

func (s *Storage) flags(f *pflag.FlagSet) {
	s.sourceFlags(f)
	f.Var(&s.Interval, "storage.interval", "how often findings are saved: what a crash loses at most")
	f.Var(&s.HistorySize, "storage.history-size", "of the history of findings beside --storage.path; the oldest go")
}

// sourceFlags are where findings are.
func (s *Storage) sourceFlags(f *pflag.FlagSet) {
	f.StringVar(&s.Path, "storage.path", "", "directory that findings are kept in over restarts; empty for none")
	f.StringVar(&s.URI, "storage.uri", "", "MongoDB in which several processes keep their findings together, as mongodb://host/database. With a password: from the environment or its _FILE")
}

// passing is for commands that end with what they run: what they find is in their
// report, and neither goes to anybody nor is kept, whatever a file for a proxy says.
func (c *config) passing() {
	c.Storage.Path, c.Storage.URI = "", ""
	c.Alert.Webhook.URL, c.Alert.Slack.URL, c.Alert.Alertmanager.URL, c.Alert.File = "", "", nil, ""
}

// check finds what cannot be meant.
func (s *Storage) check() error {
	switch {
	case s.Path != "" && s.URI != "":
		return usage("storage: give either path or uri: each keeps everything")
	case s.Interval < duration(time.Second):
		return usage("storage.interval %s: want 1s or more", s.Interval.String())
	case s.HistorySize < 64<<10:
		return usage("storage.history-size %s: want 64KiB or more", s.HistorySize.String())
	}
	if s.URI != "" {
		if err := shared.Check(s.URI); err != nil {
			return usage("storage.uri: %w", err)
		}
	}
	return nil
}

// keeper keeps a store's findings.
type keeper interface {
	// keep saves, or adds to what others have. The first call restores what is there, as
	// far as it can be read: also when it fails.
	keep(ctx context.Context, s *store.Store, r *sink.Report) error
	close()
}

// storage is where a service keeps its findings.
type storage struct {
	keeper
	kind    string
	history sink.Sink // nil: there is none
	logger  *zap.Logger
	lines   *limiter
	saved   atomic.Int64 // how often
	failed  atomic.Int64
	last    atomic.Int64 // when it was saved, Unix seconds
	ok      atomic.Bool  // the last time
}

// open makes what is configured and was checked; nil when nothing is.
func (s *Storage) open(logger *zap.Logger) *storage {
	out := &storage{logger: logger, lines: newLimiter(10 * time.Minute)}
	out.ok.Store(true)
	switch {
	case s.Path != "":
		dir := disk.Open(s.Path)
		out.kind, out.keeper, out.history = "disk", &diskKeeper{dir: dir, path: s.Path, logger: logger}, dir.History(int64(s.HistorySize))
	case s.URI != "":
		out.kind, out.keeper = "mongodb", &sharedKeeper{uri: s.URI, logger: logger, lines: out.lines}
	default:
		return nil
	}
	return out
}

// save keeps everything now, and says at most once in ten minutes that it cannot.
func (s *storage) save(ctx context.Context, st *store.Store, r *sink.Report) {
	err := s.keep(ctx, st, r)
	s.ok.Store(err == nil)
	if err != nil {
		s.failed.Add(1)
		if s.lines.allow("save") {
			s.logger.Error("findings cannot be kept; they are tried again", zap.String("storage", s.kind), zap.Error(err))
		}
		return
	}
	s.saved.Add(1)
	s.last.Store(time.Now().Unix())
	if s.lines.was("save") {
		s.logger.Info("findings are kept again", zap.String("storage", s.kind))
	}
}

// state is what metrics tell; a nil s has nothing to keep.
func (s *storage) state() (ok bool, saved, failed int64, last time.Time) {
	if s == nil {
		return true, 0, 0, time.Time{}
	}
	if n := s.last.Load(); n > 0 {
		last = time.Unix(n, 0)
	}
	return s.ok.Load(), s.saved.Load(), s.failed.Load(), last
}

// stored is what reports say of it; nil when nothing is kept.
func (s *storage) stored(st *store.Store) *sink.Stored {
	if s == nil {
		return nil
	}
	return &sink.Stored{In: s.kind, Since: st.Began()}
}

// diskKeeper keeps findings in a directory.
type diskKeeper struct {
	dir      *disk.Dir
	path     string
	logger   *zap.Logger
	tried    bool // to restore
	restored bool // what there was when the lock was taken
	// of earlier processes
	processes int
	coverage  op.Coverage
}

func (d *diskKeeper) keep(_ context.Context, s *store.Store, r *sink.Report) error {
	lockErr := d.dir.Lock()
	if errors.Is(lockErr, disk.ErrInUse) {
		return lockErr // what is there is of another, until it ends
	}
	if !d.restored && (lockErr == nil || !d.tried) {
		// without the lock it is to be looked at once more: a directory may come later
		d.restored = d.restore(s, lockErr) && lockErr == nil
		d.tried = true
	}
	if lockErr != nil {
		return fmt.Errorf("storage.path: %w", lockErr)
	}
	state := kept(s, r)
	state.Processes, state.Coverage = d.processes+1, d.coverage.Plus(r.Coverage)
	return d.dir.Save(state)
}

// restore takes over what an earlier process has left. What cannot be used is no
// reason not to start. What lockErr tells of is not told twice. It reports whether that
// was all: what cannot be read yet is tried again.
func (d *diskKeeper) restore(s *store.Store, lockErr error) bool {
	state, err := d.dir.Load()
	if err != nil {
		var aside *disk.SetAside
		set := errors.As(err, &aside)
		if set || lockErr == nil && !d.tried {
			d.logger.Error("findings of earlier processes cannot be used; starting without", zap.String("storage", d.path), zap.Error(err))
		}
		return set
	}
	d.processes, d.coverage = state.Processes, state.Coverage
	leftOut := s.Merge(state)
	if n := len(state.Findings); n > 0 {
		d.logger.Info("findings of earlier processes", zap.String("storage", d.path), zap.Int("findings", n-leftOut), zap.Time("since", state.Began))
	}
	if leftOut > 0 {
		d.logger.Warn("some of the findings kept are none, or have no room", zap.String("storage", d.path), zap.Int("findings", leftOut))
	}
	return true
}

func (d *diskKeeper) close() { _ = d.dir.Close() }

// kept is a store's state with what the report knows besides.
func kept(s *store.Store, r *sink.Report) store.State {
	out := s.Save()
	out.Version, out.SavedAt = version, time.Now().UTC()
	out.Source, out.NotJudged = r.Source, why(r)
	return out
}

// why lists the rules that could not judge.
func why(r *sink.Report) map[string]string {
	out := map[string]string{}
	for _, n := range r.NotJudged {
		out[n.Rule] = n.Why
	}
	return out
}

// sharedKeeper keeps findings with others in one MongoDB.
type sharedKeeper struct {
	uri    string
	logger *zap.Logger
	lines  *limiter
	client *shared.Client // nil until the servers' names are known
}

// connect makes the client, when there is none yet. Who looks names up cannot be told to
// stop, and is left behind when ctx ends.
func (k *sharedKeeper) connect(ctx context.Context) error {
	if k.client != nil {
		return nil
	}
	type result struct {
		client *shared.Client
		err    error
	}
	done := make(chan result, 1)
	go func() {
		c, err := shared.Connect(k.uri)
		done <- result{c, err}
	}()
	select {
	case r := <-done:
		k.client = r.client
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *sharedKeeper) keep(ctx context.Context, s *store.Store, r *sink.Report) error {
	if err := k.connect(ctx); err != nil {
		return err
	}
	err := k.client.Sync(ctx, s, shared.Process{
		Version: version, Source: r.Source, Profile: r.Profile, Coverage: r.Coverage, NotJudged: why(r),
	})
	if n := k.client.LeftOut; n > 0 && k.lines.allow("left out") {
		k.logger.Warn("some of the findings kept are none, or have no room", zap.String("storage", "mongodb"), zap.Int("findings", n))
	}
	return err
}

func (k *sharedKeeper) close() {
	if k.client == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = k.client.Close(ctx)
}
