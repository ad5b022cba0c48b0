package faults

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/store"
	"mongoadvisor/wire"
)

// clocks are what a clock that is set may show at step n instead of the time t.
var clocks = map[string]func(r *rand.Rand, n int, t time.Time) time.Time{
	"back by an hour":   func(_ *rand.Rand, n int, t time.Time) time.Time { return t.Add(-time.Hour * time.Duration(n/3%2)) },
	"forward by a year": func(_ *rand.Rand, n int, t time.Time) time.Time { return t.AddDate(n/3%2, 0, 0) },
	"1970": func(_ *rand.Rand, n int, t time.Time) time.Time {
		if n%3 == 0 {
			return time.Unix(0, 0)
		}
		return t
	},
	"no time": func(_ *rand.Rand, n int, t time.Time) time.Time {
		if n%2 == 0 {
			return time.Time{}
		}
		return t
	},
	"the end of time": func(_ *rand.Rand, n int, t time.Time) time.Time {
		if n%5 == 0 {
			return time.Unix(0, math.MaxInt64)
		}
		return t
	},
	"any": func(r *rand.Rand, _ int, t time.Time) time.Time {
		return t.Add(time.Duration(r.Int64N(int64(2*24*time.Hour))) - 24*time.Hour)
	},
}

// steady is how a clock goes that nobody sets.
func steady(_ *rand.Rand, _ int, t time.Time) time.Time { return t }

// rounds are how often the examples are played: what is kept for a time that never
// passes piles up from one to the next.
const rounds = 4

// allowance is what may differ, in bytes: a round has 37,000 operations, so that
// some bytes for each would be more. By then, most tables are as full as they get.
const allowance = 192 << 10

// TestClockJumps plays the examples of every rule, over and over, under clocks that
// jump: nothing panics, no latency is negative, nothing waits for ever, and no more
// is kept than under one that does not.
func TestClockJumps(t *testing.T) {
	files, err := analysistest.Files("../../analyzers/testdata")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var examples []*cases.File
	for _, file := range files {
		f, err := cases.Load(file)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		examples = append(examples, f)
	}
	usual := playAll(t, steady, examples)
	for name, clock := range clocks {
		t.Run(name, func(t *testing.T) {
			more := playAll(t, clock, examples)
			t.Logf("%d bytes more are kept after the last round, %d under a steady clock", more, usual)
			if more > usual+allowance {
				t.Errorf("%d bytes more are kept after the last round, and only %d under a steady clock", more, usual)
			}
		})
	}
}

// playAll returns how many bytes more are kept at the end than one round before.
func playAll(t *testing.T, clock func(*rand.Rand, int, time.Time) time.Time, examples []*cases.File) int64 {
	t.Helper()
	p := newClockPlayer(t, clock)
	var kept [rounds]int64
	for round := range rounds {
		for _, f := range examples {
			p.play(f)
		}
		kept[round] = held(p.engine, p.store, p.config.Cursors, p.config.Pending)
	}
	p.end()
	return kept[rounds-1] - kept[rounds-2]
}

// clockPlayer is one long run: what one file leaves behind meets the next.
type clockPlayer struct {
	t       *testing.T
	clock   func(*rand.Rand, int, time.Time) time.Time
	random  *rand.Rand
	config  session.Config
	engine  *engine.Engine
	store   *store.Store
	now     time.Time
	n       int
	judged  int
	negated int
}

func newClockPlayer(t *testing.T, clock func(*rand.Rand, int, time.Time) time.Time) *clockPlayer {
	p := &clockPlayer{t: t, clock: clock, random: rand.New(rand.NewPCG(1, 2)), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	p.store = store.New(store.Config{Profile: store.CI})
	p.engine = engine.New(engine.Config{Rules: analyzers.All(), Recorder: p.store})
	stats := &session.Stats{}
	p.config = session.Config{
		Source: op.SourceProxy, Has: op.HasTraffic, Stats: stats,
		Cursors: session.NewCursors(1000, stats), Pending: session.NewPending(64 << 20), Emit: p.judge,
	}
	return p
}

func (p *clockPlayer) judge(o *op.Operation) {
	p.judged++
	if o.Latency < 0 {
		p.negated++
	}
	p.engine.Judge(o)
}

// maxRepeat keeps the long examples short: they are about counts, this is about
// times.
const maxRepeat = 8

func (p *clockPlayer) play(f *cases.File) {
	sessions := map[string]*session.Session{}
	for _, step := range f.Operations {
		s := sessions[step.Conn]
		if s == nil {
			s = session.New(p.config, op.Conn{ID: uint64(p.n + 1), Client: "192.0.2.1:50000"})
			sessions[step.Conn] = s
		}
		for range min(step.Repeat, maxRepeat) {
			p.step(s, step)
		}
	}
	for _, s := range sessions {
		s.Close()
	}
}

func (p *clockPlayer) step(s *session.Session, step cases.Step) {
	p.n++
	p.now = p.now.Add(max(step.After, time.Millisecond))
	if notice := op.Str(op.Get(step.Command, op.Notice)); notice != "" {
		s.Notice(p.shown(), op.NoticeKind(notice))
		return
	}
	var flags wire.MsgFlags
	if step.NoReply {
		flags = wire.MoreToCome
	}
	id := int32(2 * p.n)
	s.Request(p.shown(), framed(analysistest.Message(id, 0, flags, step.Command, step.Sequences)))
	if step.NoReply || p.n%17 == 0 { // some replies never come
		return
	}
	p.n++
	reply := step.Reply
	if reply == nil {
		reply = bsoncore.BuildDocument(nil, bsoncore.AppendDoubleElement(nil, "ok", 1))
	}
	s.Reply(p.shown(), framed(analysistest.Message(id+1, id, 0, reply, nil)))
}

func (p *clockPlayer) shown() time.Time { return p.clock(p.random, p.n, p.now) }

func (p *clockPlayer) end() {
	if p.judged < 1000 {
		p.t.Errorf("only %d operations", p.judged)
	}
	if p.negated > 0 {
		p.t.Errorf("%d operations took less than no time", p.negated)
	}
	if n := p.config.Pending.Held(); n != 0 {
		p.t.Errorf("requests with %d bytes wait for ever", n)
	}
	for _, s := range p.engine.Stats() {
		if n := s.Panics.Load(); n > 0 {
			p.t.Errorf("rule %s panicked %d times", s.ID, n)
		}
	}
	found := p.store.Findings()
	if len(found) == 0 {
		p.t.Error("no rule finds anything any more")
	}
	for _, f := range found {
		if f.LastSeen.Before(f.FirstSeen) {
			p.t.Errorf("%s was last seen %v, before it was first seen, %v", f.Rule, f.LastSeen, f.FirstSeen)
			return
		}
	}
}

func framed(raw []byte) wire.Message {
	var f wire.Framer
	m, _, ok := f.Next(raw)
	if !ok {
		panic("built a message that does not frame")
	}
	return m
}
