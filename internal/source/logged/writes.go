package logged

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// Bounds of the statements that wait for their command.
const (
	maxBatches    = 1024
	maxStatements = 1000
	maxBatchBytes = 1 << 20
)

// batch collects the statements of one update or delete. The server logs each
// with what it examined, and then the command without them.
type batch struct {
	name       string // "update", "delete"
	first      Record // with the numbers of all
	conn       *op.Conn
	ns         op.Namespace
	statements []bsoncore.Document
	command    bsoncore.Document // nil when it never came
	bytes      int
	records    int64
	redacted   bool
}

// writeOf names the write a record is about, and says whether it is one statement
// and not the command.
func writeOf(r *Record, command bsoncore.Document) (name string, statement bool) {
	switch r.Kind {
	case "update":
		name = "update"
	case "remove":
		name = "delete"
	default:
		name, _ = op.Command(op.FirstKey(command))
		return name, false
	}
	if r.Legacy || op.Get(command, "q").Type != 0 {
		return name, true
	}
	sent, _ := op.Command(op.FirstKey(command))
	return name, sent != name
}

// hold keeps a statement until its command comes. In a log that was sorted the
// command may stand before it, at the same time.
func (m *Maker) hold(r *Record, conn *op.Conn, name string, command bsoncore.Document, redacted bool) {
	ns := op.ParseNamespace(strings.Clone(r.NS))
	b := m.held[conn.ID]
	if b != nil && (b.name != name || b.ns != ns || len(b.statements) >= maxStatements || b.bytes > maxBatchBytes || b.command != nil && r.End.After(b.first.End)) {
		delete(m.held, conn.ID)
		m.leave(b)
		b = nil
	}
	if b == nil {
		b = m.begin(r, conn, name, ns)
	} else {
		b.add(r)
	}
	b.statements = append(b.statements, command)
	b.bytes += len(command)
	b.records++
	b.redacted = b.redacted || redacted
}

// holdCommand keeps a command that came without its statements.
func (m *Maker) holdCommand(r *Record, conn *op.Conn, name string, command bsoncore.Document, redacted bool) {
	ns := op.ParseNamespace(strings.Clone(r.NS))
	if coll := op.Str(op.Get(command, name)); coll != "" && !redacted {
		ns.Coll = coll // the record may be about "db.$cmd"
	}
	b := m.begin(r, conn, name, ns)
	b.command, b.records, b.redacted = command, 1, redacted
}

func (m *Maker) begin(r *Record, conn *op.Conn, name string, ns op.Namespace) *batch {
	if len(m.order) >= maxBatches {
		m.drop()
	}
	b := &batch{name: name, first: *r, conn: conn, ns: ns}
	b.first.NS, b.first.Plan = ns.String(), strings.Clone(r.Plan)
	b.first.Command, b.first.Original, b.first.Views, b.first.Update = nil, nil, bsoncore.Value{}, bsoncore.Value{}
	m.held[conn.ID] = b
	m.order = append(m.order, conn.ID)
	return b
}

// drop makes room: batches that were sent are forgotten, and the oldest is sent if
// there is none.
func (m *Maker) drop() {
	kept, seen := m.order[:0], map[uint64]bool{}
	for _, id := range m.order {
		if m.held[id] != nil && !seen[id] {
			seen[id] = true
			kept = append(kept, id)
		}
	}
	m.order = kept
	if len(m.order) >= maxBatches {
		oldest := m.order[0]
		m.order = append(m.order[:0], m.order[1:]...)
		b := m.held[oldest]
		delete(m.held, oldest)
		m.leave(b)
	}
}

// add sums up. The time is that of the command once that is known.
func (b *batch) add(r *Record) {
	f := &b.first
	if b.command == nil {
		f.End = r.End
		f.Took += r.Took
	}
	if f.Plan == "" {
		f.Plan = strings.Clone(r.Plan)
	}
	f.Keys += r.Keys
	f.Docs += r.Docs
	f.Matched += r.Matched
	f.Modified += r.Modified
	f.Upserted += r.Upserted
	f.Deleted += r.Deleted
	f.Truncated = f.Truncated || r.Truncated
	f.Sorted = f.Sorted || r.Sorted
	if r.Failed {
		f.Failed, f.Code, f.CodeName = true, r.Code, r.CodeName
	}
}

// finish takes the command's own record in: its time is that of all.
func (b *batch) finish(r *Record, command bsoncore.Document) {
	b.first.End, b.first.Took, b.first.Bytes = r.End, r.Took, r.Bytes
	b.command = command
	b.records++
	if r.Failed && !b.first.Failed {
		b.first.Failed, b.first.Code, b.first.CodeName = true, r.Code, r.CodeName
	}
}

// operation is the command as it was sent.
func (b *batch) operation(m *Maker) *op.Operation {
	at, out := bsoncore.AppendDocumentStart(nil)
	out = bsoncore.AppendStringElement(out, b.name, b.ns.Coll)
	db := false
	first := true
	for k, v := range op.Fields(b.command) {
		if !first && k != b.name+"s" {
			db = db || k == "$db"
			out = bsoncore.AppendValueElement(out, k, v)
		}
		first = false
	}
	list, out := bsoncore.AppendArrayElementStart(out, b.name+"s")
	out = statements(out, b.statements)
	out, _ = bsoncore.AppendArrayEnd(out, list)
	if !db {
		out = bsoncore.AppendStringElement(out, "$db", b.ns.DB)
	}
	out, _ = bsoncore.AppendDocumentEnd(out, at)
	r := b.first
	r.Legacy = false
	r.Kind = "command"
	o := m.operation(&r, b.conn, out, b.redacted)
	if len(b.statements) == 0 {
		o.Cut = true // each was too quick to be logged
	}
	return o
}

// leave sends a batch to which nothing more comes.
func (m *Maker) leave(b *batch) {
	if n := b.records - 1; n > 0 {
		m.coverage.Skipped[SkipDuplicate] += n
	}
	m.send(b.operation(m))
}
