package main

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/web"
)

// service is a running advisor: what the commands have in common that go on until
// they are stopped.
type service struct {
	*advisor
	stats   *session.Stats
	queue   *session.Queue
	pending *session.Pending
	metrics *web.Metrics
	web     *web.Server
	dials   *limiter // of lines in the log
	exposed exposure
	storage *storage // nil: findings end with the process
	keeping keeping
	// logDropped counts lines, of findings and of the program's own log, that
	// nobody read in time or that could not be written.
	logDropped func() int64
	reloads    *reloader // nil: this command has one configuration for good
}

// newService puts the parts together; nothing runs yet. The arguments are those of
// newAdvisor.
func newService(c *config, logger *zap.Logger, listeners func() []string, announce ...sink.Sink) (*service, error) {
	a, err := newAdvisor(c, logger, listeners, announce...)
	if err != nil {
		return nil, err
	}
	routes, err := c.routes(a.store.Findings, a.sinks.Runs)
	if err != nil {
		return nil, err
	}
	a.sinks.Exchange(routes)
	storage := c.Storage.open(logger)
	if storage != nil && storage.history != nil {
		a.sinks.Add(storage.history, sink.Options{})
	}
	s := &service{
		storage: storage,
		advisor: a, stats: &session.Stats{}, dials: newLimiter(10 * time.Second),
		metrics: web.NewMetrics(version, revision()), logDropped: func() int64 { return 0 },
	}
	// a quarter for requests that wait for their replies, the rest for the queue
	room := c.messageMemory()
	s.pending = session.NewPending(room / 4)
	s.queue = session.NewQueue(room/4*3, c.Analysis.FullRate, s.stats)
	if c.kind != nil {
		s.reloads = newReloader(s)
	}
	return s, nil
}

// exposure is what a service shows of itself. The functions are called at any time.
type exposure struct {
	coverage func() op.Coverage
	seen     func() (op.Source, op.Has)
	status   func() map[string]any // what is to be said beside what all services say
	topology web.Topology
}

// logs says where the service's own log goes.
func (s *service) logs(out *outputs) {
	s.logDropped = out.dropped
	if s.reloads != nil {
		s.reloads.level = out.level
	}
}

// report is everything there is to say.
func (s *service) report() *sink.Report {
	source, has := s.exposed.seen()
	r := s.advisor.report(source, has, s.exposed.coverage())
	r.Stored = s.storage.stored(s.store)
	return r
}

// about is that without the findings.
func (s *service) about() *sink.Report {
	source, has := s.exposed.seen()
	return s.advisor.about(source, has, s.exposed.coverage())
}

// expose makes metrics and the web endpoint.
func (s *service) expose(e exposure) {
	s.exposed = e
	s.watch(e)
	s.web = web.New(web.Config{
		Listen: s.config.Web.ListenAddress, ConfigFile: s.config.Web.Config.File, Version: version, Registry: s.metrics.Registry(),
		Logger: slog.New(zapslog.NewHandler(s.logger.WithOptions(zap.IncreaseLevel(zap.WarnLevel)).Core())),
		Reload: s.reloads.asked(), Lifecycle: s.config.Web.EnableLifecycle,
		API: map[string]func() any{
			"findings": func() any { return s.report() }, "coverage": func() any {
				c := e.coverage()
				s.tally.cover(&c)
				return c
			},
			"rules": func() any { return describe(analyzers.All(), s.force.Load().rules) },
			"status": func() any {
				status := e.status()
				status["version"], status["profile"] = version, s.force.Load().config.Profile
				status["queue_bytes"], status["totals"] = s.queue.Held(), s.store.Totals()
				return status
			},
		},
	})
}

// run starts the analysis and what is listened on beside the traffic.
func (s *service) run() error {
	s.startKeeping()
	go s.queue.Run()
	s.reloads.start()
	if s.config.Web.ListenAddress != "" {
		if err := s.web.Start(); err != nil {
			return unopened("web.listen-address", err)
		}
		s.logger.Info("web endpoint", zap.String("address", s.web.Addr()))
	}
	if a := s.config.Health.ListenAddress; a != "" {
		if _, err := s.web.StartHealth(a); err != nil {
			return unopened("health.listen-address", err)
		}
	}
	return nil
}

// judge is where operations reach the rules.
func (s *service) judge(o *op.Operation) {
	if o.Command != op.Notice {
		s.metrics.Command(o)
	} else if s.dials.allow(string(o.Notice)) {
		s.logger.Info("a connection cannot be read in full", zap.String("notice", string(o.Notice)), zap.String("network.peer.address", o.Conn.Client))
	}
	s.count(o)
	s.engine.Judge(o)
}

// finish ends everything once no traffic comes any more: analysis of what was seen,
// sinks, web.
func (s *service) finish() {
	s.reloads.stop()
	if !s.queue.Close(10 * time.Second) {
		s.logger.Warn("analysis did not finish; the last findings are missing")
	}
	ended := s.stopKeeping()
	s.sinks.Close()
	if ended && s.storage != nil {
		s.storage.close() // the history was one of the sinks
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := s.web.Shutdown(ctx); err != nil {
		s.logger.Debug("web endpoint", zap.Error(err))
	}
}

// watch connects the counters of the packages with the metrics.
func (s *service) watch(e exposure) {
	s.metrics.Watch(web.Sources{
		Rules: s.everInForce, Coverage: e.coverage, QueueBytes: s.queue.Held, Findings: s.store.Findings,
		Occurrences: s.store.Occurrences, Untracked: func() int64 { return s.store.Totals().Untracked },
		Config: s.reloads.state(time.Now()), MaxFindings: s.config.Metrics.MaxFindings,
		Messages: func(each func(direction, opcode string, n int64)) {
			for d := range s.stats.Messages {
				for i, code := range session.OpCodes {
					each(session.Direction(d).String(), code.Label(), s.stats.Messages[d][i].Load())
				}
			}
		},
		Undecoded: func(each func(reason string, n int64)) {
			for i, r := range session.UndecodedReasons {
				each(r, s.stats.Undecoded[i].Load())
			}
		},
		Recognised: s.stats.Sampled.Load, SampleRate: s.queue.Rate,
		Shed: func(each func(reason string, n int64)) {
			for i, r := range session.ShedReasons {
				each(r, s.stats.Shed[i].Load())
			}
		},
		Dropped: func(each func(what string, n int64)) {
			states := int64(0)
			for _, r := range s.engine.Stats() {
				states += r.Evicted.Load()
			}
			each("cursor", s.stats.CursorsLost.Load())
			each("rule_state", states)
			each("log_line", s.logDropped())
		},
		RuleWork: func(each func(rule string, panics int64, seconds float64)) {
			for _, r := range s.engine.Stats() {
				each(r.ID, r.Panics.Load(), time.Duration(r.Nanos.Load()).Seconds())
			}
		},
		Topology: e.topology, Storage: s.storage.state,
		Notified: func(each func(sink, outcome string, n int64)) {
			s.sinks.Counts(func(name string, o sink.Outcome, n int64) { each(name, string(o), n) })
		},
	})
}

// everInForce are the rules that run or have run: series stay once they are there.
func (s *service) everInForce() []*analysis.Analyzer {
	var out []*analysis.Analyzer
	stats := s.engine.Stats()
	for _, a := range s.force.Load().catalogue {
		if slices.ContainsFunc(stats, func(r *engine.RuleStats) bool { return r.ID == a.ID }) {
			out = append(out, a)
		}
	}
	return out
}
