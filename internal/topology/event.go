package topology

import (
	"slices"
	"sync/atomic"
)

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

// Kinds lists them all.
var Kinds = []Kind{Joined, Left, NoRoom, ListenFailed, Primary}

func (m *Map) report(e Event) {
	if i := slices.Index(Kinds, e.Kind); i >= 0 {
		m.Stats.events[i].Add(1)
	}
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

	events [5]atomic.Int64 // in the order of Kinds
}

// Events tells how often each of Kinds happened.
func (s *Stats) Events(each func(kind Kind, n int64)) {
	for i, k := range Kinds {
		each(k, s.events[i].Load())
	}
}

// Messages tells how many messages there were of each outcome, a closed set.
func (s *Stats) Messages(each func(outcome string, n int64)) {
	each("rewritten", s.Rewritten.Load())
	each("too_long", s.TooLong.Load())
	each("undecodable", s.Undecodable.Load())
	each("bad_checksum", s.BadChecksums.Load())
	each("forgotten", s.PendingFull.Load())
}

// Connections tells how many pass unchanged for each reason, a closed set.
func (s *Stats) Connections(each func(reason string, n int64)) {
	each("unframed", s.Unframed.Load())
	each("panic", s.Panics.Load())
}
