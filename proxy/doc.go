// Package proxy forwards TCP connections to an upstream, byte for byte, and
// lets a Tap watch. It parses nothing of what it forwards, so that no traffic can
// confuse it, and knows nothing of who watches, so that no watcher can hurt it.
// What it does read, where it is told to, stands before the stream: a PROXY
// header, the client's TLS. And a Rewriter, if there is one, changes what passes.
//
// # How a connection ends
//
// A connection has two legs (client, upstream) and two directions (up: client
// to server, down: server to client), each moved by a goroutine of its own.
// For a direction that reads from src and writes to dst:
//
//	what happens              | what is done                                 | the other direction
//	--------------------------+----------------------------------------------+---------------------------
//	src: EOF (FIN)            | half-close dst, at once, after the last byte | goes on to its own end
//	src: reset, timed out     | reset both legs                              | ends
//	src: EOF, but a write to  | reset both legs: the failed write took the   | ends
//	  src met its reset       |   kernel's error, the EOF is not a FIN       |
//	dst: write fails          | read on and discard, at most 30 s            | delivers what had already
//	                          |                                              |   arrived, then its own end
//	… and other had ended     | discard for 1 s, then reset both legs        | –
//	… and other ends by FIN   | its half-close, 1 s, then reset both legs    | –
//	up had EOF, then client   | close both legs: nobody is left to answer    | ends
//	  is gone altogether      |                                              |
//	both ended by EOF         | close both legs                              | –
//	Shutdown has begun, and   | half-close the client; up goes on for what   | up: its end, or 1 s of
//	  nothing is under way    |   wants no reply, then half-close dst, 1 s   |   silence, counts as EOF
//	Shutdown ran out of time  | reset both legs                              | ends
//
// The reasons:
//
//   - A reset is passed on as a reset, never as a FIN: a peer must not take a
//     stream that was cut for one that was finished.
//   - A failed write does not end the connection because a server may answer,
//     close, and only then be written to: its answer is still on its way to the
//     client. Discarding, rather than no longer reading, keeps a client that
//     only reads after it has written everything from waiting for ever.
//   - That one second lets what was written reach a client before a reset; without
//     it, closing a socket with unread bytes resets it and drops what the
//     kernel had still to send.
//   - Nothing else has a time limit. A connection may be idle, or half-closed,
//     for as long as both peers are there; keep-alive finds those that are not.
//
// A connection that is being left has no way back for a reply. What the client
// sends in the moment in which it has not seen its FIN yet is delivered as long as
// it wants none: nobody tries again with an unacknowledged write. From the first
// request on that wants a reply nothing is delivered, so that it can be tried
// again.
//
// Connections of which the upstream could not be dialled, or that are refused,
// are reset: the client gets no bytes that the server has not sent.
package proxy
