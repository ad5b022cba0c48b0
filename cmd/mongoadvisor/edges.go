package main

import (
	"crypto/tls"
	"net"
	"strings"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"mongoadvisor/internal/certs"
	"mongoadvisor/internal/op"
	"mongoadvisor/proxy"
)

// Edges configures what stands at the two ends of a connection.
type Edges struct {
	ListenTLSCert         string `yaml:"listen-tls-cert"`
	ListenTLSKey          string `yaml:"listen-tls-key"`
	ListenTLSClientCA     string `yaml:"listen-tls-client-ca"`
	UpstreamTLS           bool   `yaml:"upstream-tls"`
	UpstreamTLSCA         string `yaml:"upstream-tls-ca"`
	UpstreamTLSCert       string `yaml:"upstream-tls-cert"`
	UpstreamTLSKey        string `yaml:"upstream-tls-key"`
	UpstreamTLSInsecure   bool   `yaml:"upstream-tls-insecure"`
	UpstreamTLSServerName string `yaml:"upstream-tls-server-name"`
	ProxyProtocol         bool   `yaml:"proxy-protocol"`
	UpstreamProxyProtocol string `yaml:"upstream-proxy-protocol"`
	MaxConnections        int    `yaml:"max-connections"`
}

func (e *Edges) flags(f *pflag.FlagSet) {
	f.StringVar(&e.ListenTLSCert, "listen-tls-cert", "", "PEM file: clients speak TLS to the proxy, which shows this certificate")
	f.StringVar(&e.ListenTLSKey, "listen-tls-key", "", "its key; empty when the same file has both")
	f.StringVar(&e.ListenTLSClientCA, "listen-tls-client-ca", "", "PEM file: clients must show a certificate of one of these authorities")
	e.upstreamFlags(f)
	f.BoolVar(&e.ProxyProtocol, "proxy-protocol", false, "clients come through a load balancer that sends PROXY headers (version 1 or 2)")
	f.StringVar(&e.UpstreamProxyProtocol, "upstream-proxy-protocol", "", "send the server a PROXY header: v1 or v2")
	f.IntVar(&e.MaxConnections, "max-connections", 0, "client connections at a time, all listeners together; 0 for no limit")
}

// upstreamFlags are those of the way to the server.
func (e *Edges) upstreamFlags(f *pflag.FlagSet) {
	f.BoolVar(&e.UpstreamTLS, "upstream-tls", false, "speak TLS to the server")
	f.StringVar(&e.UpstreamTLSCA, "upstream-tls-ca", "", "PEM file of authorities; empty for the system's")
	f.StringVar(&e.UpstreamTLSCert, "upstream-tls-cert", "", "PEM file: certificate to show to the server")
	f.StringVar(&e.UpstreamTLSKey, "upstream-tls-key", "", "its key; empty when the same file has both")
	f.BoolVar(&e.UpstreamTLSInsecure, "upstream-tls-insecure", false, "do not verify the server")
	f.StringVar(&e.UpstreamTLSServerName, "upstream-tls-server-name", "", "name to ask for and verify; empty for the server's host")
}

// check finds what cannot be meant.
func (e *Edges) check() error {
	switch {
	case e.MaxConnections < 0:
		return usage("max-connections %d: want 0 (no limit) or more", e.MaxConnections)
	case e.UpstreamProxyProtocol != "" && e.UpstreamProxyProtocol != "v1" && e.UpstreamProxyProtocol != "v2":
		return usage("upstream-proxy-protocol %q: want v1 or v2", e.UpstreamProxyProtocol)
	case e.ListenTLSCert == "" && (e.ListenTLSKey != "" || e.ListenTLSClientCA != ""):
		return usage("listen-tls-key and listen-tls-client-ca need listen-tls-cert")
	case e.UpstreamTLSCert == "" && e.UpstreamTLSKey != "":
		return usage("upstream-tls-key needs upstream-tls-cert")
	case e.UpstreamTLSInsecure && e.UpstreamTLSCA != "":
		return usage("upstream-tls-insecure verifies nothing, and upstream-tls-ca says what to verify with: give one of them")
	}
	return nil
}

// ends are the edges of a running proxy.
type ends struct {
	listenTLS   *tls.Config        // nil: plain, or TLS that passes through
	upstreamTLS func() *tls.Config // never nil; used where an upstream wants TLS
	gate        *proxy.Gate
}

// open reads the certificates.
func (e *Edges) open(logger *zap.Logger) (ends, error) {
	x := ends{gate: proxy.NewGate(e.MaxConnections)}
	var err error
	if e.ListenTLSCert != "" {
		files := certs.Server{Cert: e.ListenTLSCert, Key: e.ListenTLSKey, ClientCA: e.ListenTLSClientCA}
		if x.listenTLS, err = files.Config(reloaded(logger, "listen-tls")); err != nil {
			return x, usage("listen-tls: %w", err)
		}
	}
	files := certs.Client{
		CA: e.UpstreamTLSCA, Cert: e.UpstreamTLSCert, Key: e.UpstreamTLSKey, Insecure: e.UpstreamTLSInsecure, ServerName: e.UpstreamTLSServerName,
	}
	if x.upstreamTLS, err = files.Config(reloaded(logger, "upstream-tls")); err != nil {
		return x, usage("upstream-tls: %w", err)
	}
	return x, nil
}

// reloaded says that files have changed.
func reloaded(logger *zap.Logger, what string) func(error) {
	return func(err error) {
		if err != nil {
			logger.Error("certificates have changed and cannot be used; the old ones stay", zap.String("what", what), zap.Error(err))
			return
		}
		logger.Info("certificates have changed; new connections use them", zap.String("what", what))
	}
}

// apply configures one server.
func (p *pipeline) apply(s *proxy.Server, up upstream) {
	s.ListenTLS, s.Gate = p.ends.listenTLS, p.ends.gate
	if up.tls || p.config.UpstreamTLS {
		s.UpstreamTLS = p.ends.upstreamTLS
	}
	s.ProxyProtocol = p.config.ProxyProtocol
	if v := p.config.UpstreamProxyProtocol; v != "" {
		s.SendProxyProtocol = v[1] - '0'
	}
	s.Hooks.Refused = p.refused
}

// refused counts a connection that was closed unserved, and writes at most one
// line for each listener and reason in ten seconds. A failed dial has its own.
func (p *pipeline) refused(r *proxy.Refusal) {
	p.metrics.Refused(string(r.Reason))
	if r.Reason == proxy.RefusedUpstream {
		p.unreached.Add(1)
	}
	if r.Reason != proxy.RefusedUpstream && p.dials.allow("refused "+string(r.Reason)+" "+r.Listener) {
		p.logger.Warn("connection refused", zap.String("reason", string(r.Reason)), zap.String("listener", r.Listener),
			zap.String("network.peer.address", peer(r.Client)), zap.Error(r.Err))
	}
}

// peer names a client. One on a Unix socket has no name.
func peer(a net.Addr) string {
	if s := a.String(); a.Network() != "unix" || strings.HasPrefix(s, "/") {
		return s
	}
	return "unix"
}

// x509 says, once in a while, that somebody tries what cannot work: the server
// sees the proxy's certificate, not the client's.
func (p *pipeline) x509(o *op.Operation) {
	if o.X509 && p.ends.listenTLS != nil && p.dials.allow("x509") {
		p.logger.Warn("a client authenticates by its X.509 certificate, which ends at this proxy's TLS: the server cannot see it; use SCRAM, or let TLS pass through",
			zap.String("network.peer.address", o.Conn.Client))
	}
}
