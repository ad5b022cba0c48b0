package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Server forwards what it accepts on Listen to Upstream. Set the fields, then
// call Start, and do not change them after it.
type Server struct {
	// Listen is a host:port, or unix: and the path of a socket, which only the
	// user of this process may connect to. IPv6 addresses stand in brackets; an
	// empty host is every address of the machine; a name for loopback, such as
	// localhost, is every loopback address it stands for (127.0.0.1 and ::1),
	// with the same port on each. Port 0 lets the system choose, see Addrs.
	Listen string
	// Listeners, which accept TCP or Unix sockets, are served in the place of
	// Listen, which is then only a name. The server closes them.
	Listeners []net.Listener
	// ListenTLS ends the clients' TLS here, after at most 10 s. nil: what clients
	// send passes as it is, TLS included.
	ListenTLS *tls.Config
	// ProxyProtocol wants a PROXY header, version 1 or 2, in front of what a
	// client sends, at most after 10 s, and takes the client's address from it.
	// It is not passed on.
	ProxyProtocol bool
	// Upstream is a host:port, IPv6 addresses in brackets, or unix: and the path
	// of a socket. A name is resolved anew at each dial.
	Upstream string
	// UpstreamTLS makes the upstream leg TLS. It is called for each dial. Without
	// a ServerName, that is the host of Upstream. nil: plain.
	UpstreamTLS func() *tls.Config
	// SendProxyProtocol is the version, 1 or 2, of the PROXY header that the
	// upstream is sent, about the client. 0: none.
	SendProxyProtocol byte
	// Gate bounds the connections, of all servers that share it. nil: no bound.
	Gate *Gate
	// NewRewriter is called for each connection once its upstream has been
	// dialled. nil, or a nil result: bytes pass unchanged.
	NewRewriter func(Conn) Rewriter
	// NewTap is called for each connection once its upstream has been dialled.
	// It must not block. nil, or a nil result: nothing watches.
	NewTap func(Conn) Tap
	// DialTimeout bounds the dial of the upstream with its TLS handshake.
	// Default: 10 s.
	DialTimeout time.Duration
	// KeepAlive is how long a leg is idle before it is probed; a vanished peer
	// is found after twice that. Default: 60 s; negative: none. There is no
	// idle timeout: pools and change streams are idle for hours.
	KeepAlive time.Duration
	// Hooks are told what happens. All of them are optional.
	Hooks Hooks

	drainTime    time.Duration // 0: maxDrainTime; for tests
	upstreamHost string        // what TLS verifies
	draining     atomic.Bool
	lastID       atomic.Uint64
	dialing      context.Context // of every dial; ends when Shutdown runs out of time
	stopDialing  context.CancelFunc
	stop         chan struct{}  // closed when Shutdown begins
	work         sync.WaitGroup // every goroutine of the server

	mu        sync.Mutex
	started   bool
	stopping  bool // stop is closed
	forced    bool // Shutdown ran out of time: nothing may start any more
	listeners []net.Listener
	relays    map[*relay]struct{}
}

var errStartedTwice = errors.New("proxy: a Server can be started only once")

// Start binds Listen and then serves in goroutines until Shutdown. The error
// names the address that could not be bound and why. An upstream that cannot be
// reached is no error here: it may come later. A Server can be started once, but
// may be tried again after an error.
func (s *Server) Start() error {
	if !s.startable() {
		return errStartedTwice
	}
	host, err := upstreamName(s.Upstream)
	if err != nil {
		return err
	}
	listeners, err := s.bind()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started || s.stopping { // by another goroutine, meanwhile
		closeAll(listeners)
		return errStartedTwice
	}
	s.started = true
	s.listeners = listeners
	s.relays = make(map[*relay]struct{})
	s.upstreamHost = host
	s.dialing, s.stopDialing = context.WithCancel(context.Background())
	s.stop = make(chan struct{})
	for _, l := range listeners {
		s.work.Add(1)
		go s.acceptLoop(l)
	}
	return nil
}

func (s *Server) bind() ([]net.Listener, error) {
	if len(s.Listeners) > 0 {
		return s.Listeners, nil
	}
	b := binder{config: net.ListenConfig{KeepAlive: -1, KeepAliveConfig: s.keepAlive()}, skipped: s.Hooks.error}
	// Multipath TCP, the default for listeners, is another socket type with
	// rules of its own for resets and peers, and a slower one.
	b.config.SetMultipathTCP(false)
	return b.bind(context.Background(), s.Listen)
}

func (s *Server) startable() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.started && !s.stopping
}

// Addrs returns the addresses that are listened on: one, or one for each
// loopback address. It is empty before Start.
func (s *Server) Addrs() []net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	addrs := make([]net.Addr, len(s.listeners))
	for i, l := range s.listeners {
		addrs[i] = l.Addr()
	}
	return addrs
}

// Connections returns the number of clients being served, those whose upstream
// is still being dialled included.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.relays)
}

// track adds a relay, unless nothing may start any more.
func (s *Server) track(r *relay) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.forced {
		return false
	}
	s.relays[r] = struct{}{}
	return true
}

func (s *Server) untrack(r *relay) {
	s.Gate.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.relays, r)
}
