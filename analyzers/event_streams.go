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
	day       *sketch.Rate
	events    int64
	bytes     int64
	touched   int64 // reads and writes of single documents
	dateField string
	fields    []sourceField
	told      oncePerSecond
}

// sourceField is a field that may say what an event comes from.
type sourceField struct {
	name      string
	count     int64
	values    map[uint64]struct{} // the first so many
	late, hit int64               // values after these, and how many were among them
	reads     int64               // queries for one of its values and a span of time
}

// steadyRun counts slots of time in a row that each had enough.
type steadyRun struct {
	slot, n int64
	full    int
	total   int64
	width   time.Duration
	last    int64 // of the slot before
}

// add counts n at a time and returns how many slots in a row were full.
func (r *steadyRun) add(at time.Time, n int64, width time.Duration, need int64) int {
	slot := at.UnixNano() / int64(width)
	if slot > r.slot {
		if r.n < need || slot > r.slot+1 {
			r.full, r.total = 0, 0
		} else {
			r.full++
		}
		r.slot, r.last, r.n, r.width = slot, r.n, 0, width
	}
	r.n += n
	r.total += n
	return r.full
}

// perSecond is the rate of the slot before.
func (r *steadyRun) perSecond() int64 { return int64(float64(r.last) / max(r.width.Seconds(), 0.001)) }

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
	case "drop":
		e.collections.forget(o.NS)
	case "dropDatabase":
		e.collections.forgetAll(o.NS.DB)
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

// sample looks at the values of one event.
func (x *eventStream) sample(doc bsoncore.Document) {
	for k, v := range op.Fields(doc) {
		if k != "_id" && origin(k, v) {
			x.field(k).add(op.Hash(v))
		}
	}
}

// field is what is known of one field. Beyond the bound it is counted nowhere.
func (x *eventStream) field(name string) *sourceField {
	for i := range x.fields {
		if x.fields[i].name == name {
			return &x.fields[i]
		}
	}
	if len(x.fields) >= maxSourceFields {
		return &sourceField{}
	}
	x.fields = append(x.fields, sourceField{name: strings.Clone(name)})
	return &x.fields[len(x.fields)-1]
}

func (f *sourceField) add(hash uint64) {
	f.count++
	if _, known := f.values[hash]; known || len(f.values) >= maxSourceValues {
		if len(f.values) >= maxSourceValues {
			f.late++
			if known {
				f.hit++
			}
		}
		return
	}
	if f.values == nil {
		f.values = map[uint64]struct{}{}
	}
	f.values[hash] = struct{}{}
}

// repeats reports whether values come back, so many documents for each. With
// more values than are kept, a twentieth of what comes later is among them, as
// with about a thousand sources in turn.
func (f *sourceField) repeats(often int64) bool {
	if len(f.values) < maxSourceValues {
		return f.count >= often*int64(len(f.values)) && f.count > 0
	}
	return f.late >= often && f.hit*20 >= f.late
}

// source is the field that best says what events come from: one that is read by,
// then one that is named like a source, then the one with most values.
func (x *eventStream) source(often int64) (best *sourceField) {
	better := func(f *sourceField) bool {
		switch {
		case best == nil:
			return true
		case (f.reads > 0) != (best.reads > 0):
			return f.reads > 0
		case sourceName(f.name) != sourceName(best.name):
			return sourceName(f.name)
		}
		return len(f.values) > len(best.values)
	}
	for i := range x.fields {
		if f := &x.fields[i]; f.repeats(often) && better(f) {
			best = f
		}
	}
	return best
}

// origin reports whether a value can say where an event comes from: a name or an
// id. Plain numbers are readings, unless their field is named like a source.
func origin(name string, v bsoncore.Value) bool {
	switch v.Type {
	case bsoncore.TypeString:
		return len(v.Data) <= 64
	case bsoncore.TypeObjectID, bsoncore.TypeBinary:
		return true
	case bsoncore.TypeInt32, bsoncore.TypeInt64:
		return sourceName(name)
	}
	return false
}

func sourceName(name string) bool {
	if strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "ID") {
		return true
	}
	switch strings.ToLower(name) {
	case "device", "sensor", "source", "host", "user", "customer", "tenant", "account", "meter", "station", "symbol", "node", "service", "vehicle", "machine":
		return true
	}
	return false
}
