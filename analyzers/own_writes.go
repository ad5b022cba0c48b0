package analyzers

import (
	"strings"
	"time"
	"unicode"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// ownWrites are the documents that one client wrote last.
type ownWrites struct {
	ring [maxOwnWrites]ownWrite
	next int
}

type ownWrite struct {
	key uint64
	at  time.Time
}

// The bounds: of what is remembered of a client, and of the statements of one
// write that are looked at.
const (
	maxOwnWrites     = 64
	maxOwnStatements = 16
)

// note remembers the document that a statement writes, when its _id is known.
func (w *ownWrites) note(s *op.Statement, at time.Time) {
	id := op.Get(s.Document, "_id")
	if s.Document == nil {
		id = op.Get(s.Filter, "_id")
	}
	if id.Type == 0 || op.IsOperators(op.Doc(id)) {
		return
	}
	w.ring[w.next] = ownWrite{ownKey(s.NS, id), at}
	w.next = (w.next + 1) % len(w.ring)
}

// recent is how long ago a document was written, when that is within a time.
func (w *ownWrites) recent(ns op.Namespace, id bsoncore.Value, now time.Time, within time.Duration) (ago time.Duration, ok bool) {
	key := ownKey(ns, id)
	for i := range w.ring {
		since := now.Sub(w.ring[i].at)
		if w.ring[i].key == key && since >= 0 && since <= within && (!ok || since < ago) {
			ago, ok = since, true
		}
	}
	return ago, ok
}

func ownKey(ns op.Namespace, id bsoncore.Value) uint64 {
	return op.HashString(ns.DB)*31 ^ op.HashString(ns.Coll) ^ op.Hash(id)
}

// readsFromSecondary is the _id of a find that goes to a secondary and does not
// wait for what came before.
func readsFromSecondary(o *op.Operation) (id bsoncore.Value, ok bool) {
	mode := op.Str(op.Get(op.Doc(op.Get(o.Body, "$readPreference")), "mode"))
	if mode != "secondary" && mode != "secondaryPreferred" || op.Get(op.Doc(op.Get(o.Body, "readConcern")), "afterClusterTime").Type != 0 {
		return id, false
	}
	id = op.Get(op.Doc(op.Get(o.Body, "filter")), "_id")
	if d := op.Doc(id); op.IsOperators(d) {
		id = op.Get(d, "$eq")
	}
	return id, id.Type != 0
}

// lossy reports whether a name says that what goes there may be lost: one of its
// words is of logs or measurements. "catalog" and "blog" are other words.
func lossy(name string) bool {
	start, found := 0, false
	word := func(end int) {
		switch strings.ToLower(name[start:end]) {
		case "log", "logs", "logger", "logging", "metric", "metrics", "telemetry", "trace", "traces", "tracing", "stats", "statistics", "heartbeat", "heartbeats", "analytics", "monitoring":
			found = true
		}
	}
	lower := false
	for i, c := range name {
		switch {
		case !unicode.IsLetter(c):
			word(i)
			start = i + 1
		case unicode.IsUpper(c) && lower:
			word(i)
			start = i
		}
		lower = unicode.IsLower(c)
	}
	word(max(len(name), start))
	return found
}
