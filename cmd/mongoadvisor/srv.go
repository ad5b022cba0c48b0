package main

import (
	"context"
	"net"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"mongoadvisor/internal/topology"
)

const srvScheme = "mongodb+srv://"

// srv is a name that DNS turns into members.
type srv struct {
	host    string // "": the upstream is not one
	options topology.SRVOptions
}

// parseSRV reads mongodb+srv://host, for which TLS is meant unless the URI says
// tls=false. Other options, such as replicaSet, are those of clients.
func parseSRV(s string, many bool) (upstream, error) {
	host, options, err := splitURI(strings.TrimPrefix(s, srvScheme))
	if err != nil {
		return upstream{}, err
	}
	if !many {
		return upstream{}, usage("upstream: mongodb+srv:// stands for several members; add --topology, which gives each a listener")
	}
	if host == "" || strings.ContainsAny(host, ":,[]") {
		return upstream{}, usage("upstream: mongodb+srv:// takes one host name, without port")
	}
	u := upstream{address: srvScheme + host, srv: srv{host: host}}
	u.srv.options.Service = options.Get("srvServiceName")
	if text := options.Get("srvMaxHosts"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return upstream{}, usage("upstream: srvMaxHosts=%q: want a number, 0 for all", text)
		}
		u.srv.options.MaxHosts = n
	}
	u.tls, err = wantsTLS(options, true)
	return u, err
}

func (s srv) resolve(ctx context.Context) (topology.SRV, error) {
	return topology.ResolveSRV(ctx, net.DefaultResolver, s.host, s.options)
}

// lookUp fills in the hosts of a mongodb+srv:// upstream.
func (u *upstream) lookUp(ctx context.Context) error {
	if u.srv.host == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	found, err := u.srv.resolve(ctx)
	if err != nil {
		return usage("upstream: %w", err)
	}
	u.hosts = found.Hosts
	return nil
}

// follow looks the name up again for as long as the members are not known to be
// of a replica set, which tells its members itself.
func (m *members) follow() {
	ctx, cancel := context.WithCancel(context.Background())
	ticker := time.NewTicker(topology.SRVInterval)
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.set.FollowSRV(ctx, ticker.C, m.lookUpAgain, func(err error) {
			m.p.logger.Warn("mongodb+srv:// cannot be looked up again; the listeners stay", zap.Error(err))
		})
	}()
	m.unfollow = func() {
		ticker.Stop()
		cancel()
		<-done
	}
}

func (m *members) lookUpAgain(ctx context.Context) (topology.SRV, error) {
	if m.set.SetName() != "" {
		return topology.SRV{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	return m.from.upstream.srv.resolve(ctx)
}

// stop is safe for a nil m.
func (m *members) stop() {
	if m != nil && m.unfollow != nil {
		m.unfollow()
	}
}
