package topology

import "sync/atomic"

// Event is something the owner of a set may want to know.
type Event struct {
	Kind   Kind
	Member string // as the set spells it
	Addr   string // of its listener, if it has one
	Err    error  // of ListenFailed
}

// Kind says what happened. It is a metric label: the set is closed.
type Kind string

// The kinds of events.
const (
	Joined       Kind = "joined"        // a member has its listener
	Left         Kind = "left"          // a member is no longer in the set; its listener stays
	NoRoom       Kind = "no_room"       // no listener for this member: clients go round us to it
	ListenFailed Kind = "listen_failed" // as NoRoom, and it is tried again
	Primary      Kind = "primary"       // another member is primary now
)

func (m *Map) report(e Event) {
	if m.config.Report != nil {
		m.config.Report(e)
	}
}

// Stats counts what rewriters of a Map did. The fields may be read at any time.
type Stats struct {
	Rewritten    atomic.Int64 // messages in which a name was changed
	TooLong      atomic.Int64 // interesting messages beyond the cap, passed unchanged
	Undecodable  atomic.Int64 // interesting messages whose content cannot be read, passed unchanged
	PendingFull  atomic.Int64 // requests forgotten before their reply came, since too many waited
	Unframed     atomic.Int64 // connections that are not framed MongoDB and pass unchanged
	Panics       atomic.Int64 // connections that pass unchanged since a rewriter panicked
	BadChecksums atomic.Int64 // messages with a wrong checksum, passed unchanged
}
