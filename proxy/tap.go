package proxy

import (
	"net"
	"time"
)

// Tap watches one connection. Client gets the bytes the client sent, Server
// those the server sent, each in order and before they are written on, so that
// a request is always seen before its reply.
//
// The slice is only valid during the call and must not be changed. Client and
// Server may be called concurrently with each other. Both run on the path of
// the bytes: they must not block. Close is called once, after both directions
// have ended, also for a tap that panicked and so was no longer called.
type Tap interface {
	Client(b []byte)
	Server(b []byte)
	Close()
}

// Conn is what a tap and the hooks are told about a connection.
type Conn struct {
	ID       uint64    // counts up from 1 for each Server, in the order in which upstream connections came about
	Listener string    // Server.Listen as configured, so that it can serve as a label
	Client   net.Addr  // remote address of the client, or what a PROXY header says of it
	Local    net.Addr  // address of ours that the client connected to
	Upstream net.Addr  // remote address of the upstream: the one that was chosen if its name has several
	Opened   time.Time // when the upstream connection came about
}
