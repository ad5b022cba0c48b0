package analyzers

import (
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// eventStreams is what is known of collections that small events are inserted
// into.
type eventStreams struct {
	collections *generations[eventStream]
}

func newEventStreams() *eventStreams {
	return &eventStreams{collections: newGenerations[eventStream](maxStreams)}
}

// The bounds of the state, and of the work on one insert of many.
const (
	maxStreams       = 256 // twice that are kept
	maxSourceFields  = 12  // fields of an event
	maxSourceValues  = 64  // values of one field
	maxSampledEvents = 16  // events of one operation whose values are looked at
)

// eventStream is one collection.
type eventStream struct {
	stored    bool // as a time series, or capped
	run       steadyRun
	stretch   stretch
	day       *sketch.Rate
	events    int64
	bytes     int64
	touched   int64 // reads and writes of single documents
	dateField string
	fields    []sourceField
	told      oncePerSecond
}

// today counts n and returns the count of the last 24 hours.
func (x *eventStream) today(now time.Time, n int64) int64 {
	if x.day == nil {
		x.day = sketch.NewRate(24 * time.Hour)
	}
	return x.day.Add(now, n)
}

// define learns how collections are stored, and forgets those that go.
func (e *eventStreams) define(o *op.Operation) {
	special := func(options bsoncore.Document) bool {
		return op.Get(options, "timeseries").Type != 0 || op.True(op.Get(options, "capped"))
	}
	switch o.Command {
	case "create":
		*e.collections.at(o.NS) = eventStream{stored: special(o.Body)}
	case "listCollections":
		for _, d := range o.Reply.Docs {
			if special(op.Doc(op.Get(d, "options"))) {
				e.collections.at(op.Namespace{DB: o.NS.DB, Coll: op.Str(op.Get(d, "name"))}).stored = true
			}
		}
	case "drop", "dropDatabase":
		e.collections.dropped(o)
	}
}

// touch notes what a statement other than an insert says of a stream.
func (e *eventStreams) touch(s *op.Statement) {
	x := e.collections.known(s.NS)
	if x == nil || x.events == 0 {
		return
	}
	if s.Command == "delete" && s.Multi {
		if everything(s.Filter) {
			*x = eventStream{stored: x.stored}
		}
		return // expiry is what events come to
	}
	if _, one := target(s); one || !s.Update.IsZero() || s.Command == "delete" || s.Command == "findAndModify" {
		x.touched++
		return
	}
	for f := range s.Filters() {
		if f.Stored && f.NS == s.NS {
			x.readBy(f, s)
		}
	}
}

// readBy notes the fields that a query compares by equality beside a range of
// the date.
func (x *eventStream) readBy(f op.Filter, s *op.Statement) {
	spans := op.Get(s.Sort, x.dateField).Type != 0
	var equal [maxSourceFields]bool
	for pred := range f.Predicates() {
		if pred.Negated || pred.Or {
			continue
		}
		switch pred.Op {
		case "$gt", "$gte", "$lt", "$lte":
			spans = spans || pred.Path == x.dateField
		case "$eq", "$in":
			for i := range x.fields {
				equal[i] = equal[i] || x.fields[i].name == pred.Path
			}
		}
	}
	for i := range x.fields {
		if spans && equal[i] {
			x.fields[i].reads++
		}
	}
}

// streamBatch are the inserts of one operation into one collection.
type streamBatch struct {
	ns     op.Namespace
	limit  int // bytes
	events int64
}

// add takes one inserted document in, if it is a small event.
func (b *streamBatch) add(all *eventStreams, s *op.Statement) {
	if len(s.Document) >= b.limit || strings.HasSuffix(s.NS.Coll, "_ts") {
		return
	}
	date := dateOf(s.Document)
	if date == "" {
		return
	}
	x := all.collections.at(s.NS)
	if x.dateField == "" {
		x.dateField = strings.Clone(date)
	}
	if x.dateField != date {
		return // something else that is kept beside the events
	}
	b.events++
	x.events++
	x.bytes += int64(len(s.Document))
	if b.events <= maxSampledEvents {
		x.sample(s.Document)
	}
}

// dateOf is the first date of an event; "" when there is none, or the document
// holds an array or too many fields to be one.
func dateOf(doc bsoncore.Document) (date string) {
	n := 0
	for k, v := range op.Fields(doc) {
		if n++; v.Type == bsoncore.TypeArray || n > maxSourceFields {
			return ""
		}
		if v.Type == bsoncore.TypeDateTime && date == "" {
			date = k
		}
	}
	return date
}
