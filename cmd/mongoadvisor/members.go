package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"mongoadvisor/internal/topology"
	"mongoadvisor/internal/web"
	"mongoadvisor/proxy"
)

// members gives each member of a replica set a listener of its own.
type members struct {
	p     *pipeline
	from  pair   // the first listener: others count up from its port
	fixed []pair // given as pairs; those that come later count up from the last
	set   *topology.Map
	// ends what follows a mongodb+srv:// name, and waits for it; nil: nothing does
	unfollow func()
}

// discoverTime bounds what the start waits for seeds. A set that cannot be
// reached is no error: it may come later, and tells its members then.
const discoverTime = 10 * time.Second

// newMembers is for --topology. One pair with several hosts is asked for its
// members, sorted by name; several pairs stay as they are given.
func newMembers(p *pipeline, pairs []pair) *members {
	m := &members{p: p, from: pairs[0]}
	var fixed []topology.Fixed
	if len(pairs) > 1 {
		m.fixed, m.from = pairs, pairs[len(pairs)-1]
		for i, x := range pairs {
			fixed = append(fixed, topology.Fixed{Member: x.upstream.address, Addr: m.advertised(x.listen, x.upstream.address, i)})
		}
	}
	m.set = topology.NewMap(topology.Config{Max: p.config.TopologyMaxMembers, Listen: m.listen, Report: m.report}, fixed...)
	return m
}

// start opens the listeners.
func (m *members) start() error {
	if err := m.from.upstream.lookUp(context.Background()); err != nil {
		return err
	}
	for _, x := range m.fixed {
		if _, err := m.serve(x); err != nil {
			return err
		}
	}
	if len(m.fixed) == 0 {
		m.discover()
	}
	if len(m.addresses()) == 0 {
		return usage("topology: no member could get a listener; see the log")
	}
	m.p.logger.Info("replica set", zap.String("name", m.set.SetName()), zap.String("connection_string", m.set.ConnectionString()))
	if m.from.upstream.srv.host != "" {
		m.follow()
	}
	return nil
}

// discover asks the hosts given as upstream.
func (m *members) discover() {
	ctx, cancel := context.WithTimeout(context.Background(), discoverTime)
	defer cancel()
	seeds := m.from.upstream.hosts
	found, err := topology.Discover(ctx, seeds, m.dial)
	switch {
	case err != nil:
		m.p.logger.Warn("no seed answers yet; each gets a listener, and members are learnt from replies", zap.Error(err))
		m.set.Add(seeds...)
	case len(found.Members) == 0: // a standalone server, or routers
		m.set.Add(seeds...)
	default:
		m.set.NameSet(found.Set)
		m.set.Add(found.Members...)
	}
}

func (m *members) dial(ctx context.Context, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil || !m.secure() {
		return c, err
	}
	config := m.p.ends.upstreamTLS()
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	secure := tls.Client(c, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, err
	}
	return secure, nil
}

func (m *members) secure() bool { return m.from.upstream.tls || m.p.config.UpstreamTLS }

var (
	errLoop   = errors.New("the member's address is one of this proxy's own listeners")
	errNoPort = errors.New("there is no port left above that of --listen")
)

// listen is called when a member needs a listener: at the start, and when a
// reply names one that is new.
func (m *members) listen(name string, index int) (string, error) {
	listen, err := nthAddress(m.from.listen, index-max(len(m.fixed)-1, 0))
	if err != nil {
		return "", err
	}
	x := pair{listen: listen, upstream: upstream{address: name, hosts: []string{name}, tls: m.from.upstream.tls}}
	if index == 0 && len(m.fixed) == 0 {
		x.sockets = m.from.sockets
	}
	if loops(x, append(m.p.pairs(), x)) {
		return "", errLoop
	}
	s, err := m.serve(x)
	if err != nil {
		return "", err
	}
	host, _, _ := net.SplitHostPort(listen)
	actual := s.Addrs()[0].String()
	if _, p, err := net.SplitHostPort(actual); err == nil && net.ParseIP(host) == nil && host != "" {
		actual = net.JoinHostPort(host, p) // a name stays the name that was given
	}
	return m.advertised(actual, name, index), nil
}

// nthAddress counts n ports up from an address. Port 0, any port, stays.
func nthAddress(address string, n int) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	first, err := strconv.Atoi(port)
	switch {
	case err != nil:
		return "", err
	case first == 0:
		return address, nil
	case first+n > 65535:
		return "", errNoPort
	}
	return net.JoinHostPort(host, strconv.Itoa(first+n)), nil
}

// serve starts the proxy of one member.
func (m *members) serve(x pair) (*proxy.Server, error) {
	s := m.p.server(x)
	s.NewRewriter = func(c proxy.Conn) proxy.Rewriter { return m.set.RewriterTo(x.upstream.address, c.Local) }
	return s, m.p.serve(x, s)
}

// advertised is the address clients are told for a listener.
func (m *members) advertised(listen, member string, index int) string {
	template := m.p.config.TopologyAdvertise
	if template == "" {
		return listen
	}
	_, port, _ := net.SplitHostPort(listen)
	host, _, err := net.SplitHostPort(member)
	if err != nil {
		host = member
	}
	out := strings.NewReplacer("{port}", port, "{n}", strconv.Itoa(index), "{member}", host).Replace(template)
	if _, _, err := net.SplitHostPort(out); err != nil {
		out = net.JoinHostPort(out, port)
	}
	return out
}

// addresses are what clients are told; a nil m has none.
func (m *members) addresses() []string {
	if m == nil {
		return nil
	}
	var out []string
	for _, x := range m.set.Members() {
		if x.Addr != "" {
			out = append(out, x.Addr)
		}
	}
	return out
}

func (m *members) report(e topology.Event) {
	fields := []zap.Field{zap.String("event", string(e.Kind)), zap.String("member", e.Member), zap.String("listener", e.Addr)}
	switch e.Kind {
	case topology.NoRoom, topology.ListenFailed:
		m.p.logger.Warn("a member has no listener: its clients go round this proxy", append(fields, zap.Error(e.Err))...)
	default:
		m.p.logger.Info("replica set", fields...)
	}
}

// topology is what metrics tell of it; all of a nil m is at 0.
func (m *members) topology() web.Topology {
	set := topology.NewMap(topology.Config{})
	if m != nil {
		set = m.set
	}
	return web.Topology{
		Members: set.States, Messages: set.Stats.Messages, Connections: set.Stats.Connections,
		Events: func(each func(kind string, n int64)) {
			set.Stats.Events(func(k topology.Kind, n int64) { each(string(k), n) })
		},
	}
}
