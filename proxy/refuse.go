package proxy

import (
	"errors"
	"fmt"
	"net"
)

// Reason says why a connection was closed unserved. The set is closed, so that
// it can be a label.
type Reason string

// The reasons.
const (
	RefusedLimit       Reason = "limit"        // the gate is full
	RefusedProxyHeader Reason = "proxy_header" // no valid PROXY header in time
	RefusedTLS         Reason = "tls"          // the handshake with the client failed
	RefusedUpstream    Reason = "upstream"     // the upstream could not be dialled
)

// Reasons lists them all.
var Reasons = []Reason{RefusedLimit, RefusedProxyHeader, RefusedTLS, RefusedUpstream}

// Refusal is a connection that was accepted and closed unserved: reset, so that
// the client gets no byte that the server has not sent. It is an error with the
// reason in words.
type Refusal struct {
	Reason   Reason
	Listener string   // Server.Listen
	Client   net.Addr // of the socket, not of a PROXY header
	Err      error
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("connection of %s on %s: %v", r.Client, r.Listener, r.Err)
}

func (r *Refusal) Unwrap() error { return r.Err }

// errLeft is a client that went away before it sent anything: a probe of a load
// balancer, a scan. It is nobody's fault and is not reported.
var errLeft = errors.New("the client left without a word")

var errFull = errors.New("as many connections are open as the limit allows")

// refuse resets a client and tells why, once.
func (s *Server) refuse(client *leg, reason Reason, err error) {
	client.reset()
	if !errors.Is(err, errLeft) && !errors.Is(err, errGivenUp) {
		s.Hooks.refused(&Refusal{Reason: reason, Listener: s.Listen, Client: client.sock.RemoteAddr(), Err: err})
	}
}
