package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/sink"
	"mongoadvisor/proxy"
)

// maxCursors is how many open cursors are remembered per upstream.
const maxCursors = 10_000

// pair is one listener and where it forwards to.
type pair struct {
	listen   string
	upstream upstream
	sockets  []net.Listener // opened by somebody else; nil: listen is bound
}

// pipeline is a running proxy with everything behind it.
type pipeline struct {
	*service
	ends      ends
	members   *members     // only with --topology
	unreached atomic.Int64 // connections whose upstream could not be dialled

	mu       sync.Mutex
	proxies  []*proxy.Server
	listened []pair // what proxies listen on
	stopped  bool   // no listener may start any more
}

// has is what a proxy can tell of an operation.
const has = op.HasTraffic

// newPipeline puts the parts together; nothing runs yet. announce are the
// sinks for findings as they appear.
func newPipeline(c *config, logger *zap.Logger, pairs []pair, announce ...sink.Sink) (*pipeline, error) {
	p := &pipeline{}
	static := reachable(pairs)
	v, err := newService(c, logger, func() []string { return append(p.members.addresses(), static...) }, announce...)
	if err != nil {
		return nil, err
	}
	p.service = v
	if p.ends, err = c.Edges.open(logger); err != nil {
		return nil, err
	}
	if c.Topology {
		p.members = newMembers(p, pairs)
	}
	for _, r := range proxy.Reasons {
		p.metrics.Refusable(string(r))
	}
	p.expose(exposure{coverage: p.stats.Coverage, seen: func() (op.Source, op.Has) { return op.SourceProxy, has }, status: p.status, topology: p.members.topology()})
	return p, nil
}

// start binds every listener, then serves. On an error nothing is left running.
func (p *pipeline) start(pairs []pair) error {
	if err := p.run(); err != nil {
		p.stop(context.Background())
		return err
	}
	if err := p.listen(pairs); err != nil {
		p.stop(context.Background())
		return unopened("listen", err)
	}
	p.web.SetReady(true)
	return nil
}

// listen opens the listeners.
func (p *pipeline) listen(pairs []pair) error {
	if p.members != nil {
		return p.members.start()
	}
	for _, x := range pairs {
		if err := p.serve(x, p.server(x)); err != nil {
			return err
		}
	}
	return nil
}

var errStopped = errors.New("the proxy is stopping")

// serve starts the proxy of one pair.
func (p *pipeline) serve(x pair, s *proxy.Server) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return errStopped
	}
	if err := s.Start(); err != nil {
		return err
	}
	p.proxies, p.listened = append(p.proxies, s), append(p.listened, x)
	p.metrics.UpstreamUp(x.listen, true) // until a connection shows otherwise
	for _, a := range s.Addrs() {
		p.logger.Info("listening", zap.Stringer("address", a), zap.String("upstream", x.upstream.address),
			zap.Bool("tls", s.ListenTLS != nil), zap.Bool("upstream_tls", s.UpstreamTLS != nil))
	}
	return nil
}

// pairs are those that are served now.
func (p *pipeline) pairs() []pair {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.listened)
}

// servers are the proxies that run now.
func (p *pipeline) servers() []*proxy.Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.proxies)
}

// server makes the proxy of one pair. Cursor ids are the upstream's, so its
// connections share one table.
func (p *pipeline) server(x pair) *proxy.Server {
	sessions := session.Config{
		Source: op.SourceProxy, Has: has, Stats: p.stats, Cursors: session.NewCursors(maxCursors, p.stats),
		Pending: p.pending, Emit: p.judge,
	}
	s := &proxy.Server{
		Listen: x.listen, Listeners: x.sockets, Upstream: x.upstream.address,
		NewTap: func(c proxy.Conn) proxy.Tap {
			s := session.New(sessions, op.Conn{ID: c.ID, Client: peer(c.Client), Server: c.Upstream.String()})
			return session.NewStream(p.queue, s, int(p.config.Analysis.MaxRequest), int(p.config.Analysis.MaxReply))
		},
		Hooks: proxy.Hooks{
			Opened: func(proxy.Conn) {
				p.metrics.Connections.Inc()
				p.metrics.Open.Inc()
			},
			Closed:     func(proxy.Conn, int64, int64) { p.metrics.Open.Dec() },
			Forwarded:  p.metrics.Forwarded,
			UpstreamUp: func(up bool, err error) { p.upstreamUp(x, up, err) },
			TapPanic: func(v any) {
				p.metrics.TapPanic()
				if p.dials.allow("panic of a tap") {
					p.logger.Error("analysis of a connection stopped after a panic; its bytes pass on", zap.String("panic", fmt.Sprintf("%T", v)))
				}
			},
			Error: func(err error) { p.failed(x, err) },
		},
	}
	p.apply(s, x.upstream)
	return s
}

// judge is where operations reach the rules.
func (p *pipeline) judge(o *op.Operation) {
	if o.Command != op.Notice {
		p.x509(o)
	}
	p.service.judge(o)
}

// upstreamUp moves the metric and writes at most one line per upstream and
// state in ten seconds.
func (p *pipeline) upstreamUp(x pair, up bool, err error) {
	p.metrics.UpstreamUp(x.listen, up)
	if up {
		if p.dials.was(x.listen) {
			p.logger.Info("upstream is back", zap.String("server.address", x.upstream.address))
		}
		return
	}
	if p.dials.allow(x.listen) {
		p.logger.Error("upstream unreachable; the client's connection is closed", zap.String("server.address", x.upstream.address), zap.String("listener", x.listen), zap.Error(err))
	}
}

// failed logs what a proxy could not do: the same error of the system, such as no
// descriptors left, at most once per listener in ten seconds, and so all others.
func (p *pipeline) failed(x pair, err error) {
	var number syscall.Errno
	what := "other"
	if errors.As(err, &number) {
		what = number.Error()
	}
	if p.dials.allow(x.listen + " " + what) {
		p.logger.Warn("proxy", zap.Error(err))
	}
}

// drain takes no new connections and waits for those that are open, at most
// for the grace time; ctx ends the waiting early.
func (p *pipeline) drain(ctx context.Context) {
	p.web.SetReady(false)
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	servers := p.servers()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(p.config.Shutdown.Grace))
	defer cancel()
	done := make(chan struct{}, len(servers))
	for _, s := range servers {
		go func() {
			if err := s.Shutdown(ctx); err != nil {
				p.logger.Info("connections closed after the grace time", zap.Error(err))
			}
			done <- struct{}{}
		}()
	}
	for range servers {
		<-done
	}
}

// stop ends everything: analysis of what was seen, sinks, web.
func (p *pipeline) stop(ctx context.Context) {
	p.members.stop()
	p.drain(ctx)
	p.finish()
}

// addresses are where clients can connect.
func (p *pipeline) addresses() []string {
	var out []string
	for _, s := range p.servers() {
		for _, a := range s.Addrs() {
			out = append(out, a.String())
		}
	}
	return out
}

// status is what a proxy says of itself to people and probes.
func (p *pipeline) status() map[string]any {
	open := 0
	for _, s := range p.servers() {
		open += s.Connections()
	}
	return map[string]any{"listeners": p.addresses(), "connections": open}
}

// reachable lists the listen addresses in the forms a server's hello might
// name them: what a client can use to reach us.
func reachable(pairs []pair) []string {
	var out []string
	for _, x := range pairs {
		out = append(out, x.listen)
		if host, port, err := net.SplitHostPort(x.listen); err == nil {
			if n, err := strconv.Atoi(port); err == nil && n > 0 && (host == "127.0.0.1" || host == "localhost" || host == "::1") {
				out = append(out, "localhost:"+port, "127.0.0.1:"+port)
			}
		}
	}
	return out
}
