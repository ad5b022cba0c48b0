// Package session turns the two byte streams of a connection into operations:
// it frames and decodes messages, pairs replies with requests, follows cursors
// back to the command that opened them, and reads who the client says it is.
//
// A [Stream] is what watches a live connection: it only frames, inline, and
// hands whole messages to a [Queue] that one goroutine drains. A [Session] is
// the part behind the queue; a capture reader feeds it directly.
package session
