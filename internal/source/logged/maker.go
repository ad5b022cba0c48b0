package logged

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// Why records of operations are left out; closed sets.
const (
	SkipDuplicate    = "duplicate"     // the command whose statements are records of their own
	SkipHandshake    = "handshake"     // hello, which the server logs while a driver waits for news
	SkipInternal     = "internal"      // nobody sent it: index builds, TTL, the server's own
	SkipReplication  = "replication"   // a member that reads the oplog
	SkipChangeStream = "change-stream" // its time is spent waiting

	NoCommand = "no-command" // the record does not say what was sent
)

// Config is what a source makes operations for.
type Config struct {
	Source op.Source
	// Has is what the source can tell, without whether it tells of every operation.
	Has op.Has
	// Emit takes each operation, and owns it and what it refers to. It must not ask the
	// source that calls it.
	Emit func(*op.Operation)
	// Grouped says that the statements of an update or delete come before a record of
	// the command itself.
	Grouped bool
}

// Maker makes operations from records, in their order. Not safe for concurrent use.
type Maker struct {
	config    Config
	conns     *conns
	stretches stretches
	held      map[uint64]*batch // statements that wait for their command, by connection
	order     []uint64
	cursors   cursors
	redaction redaction
	coverage  op.RecordCoverage
}

// New makes one for one run.
func New(c Config) *Maker {
	return &Maker{
		config: c, conns: newConns(), stretches: stretches{emit: c.Emit}, held: map[uint64]*batch{},
		coverage: op.RecordCoverage{Skipped: map[string]int64{}, Undecoded: map[string]int64{}},
	}
}

// Counts are the numbers of records, for the source to add what it found itself.
func (m *Maker) Counts() *op.RecordCoverage { return &m.coverage }

// Coverage is what was read so far.
func (m *Maker) Coverage() op.RecordCoverage {
	c := m.coverage
	c.Complete = m.stretches.complete()
	c.Skipped, c.Undecoded = cloneCounts(c.Skipped), cloneCounts(c.Undecoded)
	return c
}

func cloneCounts(counts map[string]int64) map[string]int64 {
	out := make(map[string]int64, len(counts))
	for k, v := range counts {
		out[k] = v
	}
	return out
}

// Has is what the source told so far.
func (m *Maker) Has() op.Has {
	if m.stretches.complete() {
		return m.config.Has | op.HasEvery
	}
	return m.config.Has
}

// Introduce takes in what the client of a connection said of itself.
// That is an operation, too: the hello of a new connection.
func (m *Maker) Introduce(at time.Time, conn uint64, remote string, client bsoncore.Document) {
	c := m.conns.introduce(connKey(conn, remote, ""), remote, client)
	if member(c) {
		return
	}
	m.stretches.add(&op.Operation{
		Time: at, Has: m.config.Has, Source: m.config.Source, Conn: c, NS: op.Namespace{DB: "admin"},
		Command: "hello", Kind: op.KindHandshake, Introduces: true, Reply: op.Reply{Seen: true, OK: true},
	}, 0)
}

// Undecoded counts a record that tells of an operation and was not understood.
func (m *Maker) Undecoded(reason string) {
	m.coverage.Slow++
	m.coverage.Undecoded[reason]++
}

func connKey(conn uint64, remote, app string) string {
	if conn != 0 {
		return strconv.FormatUint(conn, 10)
	}
	return remote + " " + app
}

// Add takes a record in.
func (m *Maker) Add(r Record) {
	m.coverage.Slow++
	if r.Command == nil {
		m.coverage.Undecoded[NoCommand]++
		return
	}
	m.coverage.Decoded++
	if text := op.Str(op.Get(r.Command, "$truncated")); text != "" {
		r.Command, r.Truncated = shortened(&r, text), true
	}
	if why := skipped(&r); why != "" {
		m.skip(why)
		return
	}
	conn := m.conns.of(connKey(r.Conn, r.Remote, r.App), r.Remote, r.App)
	if replicates(conn) {
		m.skip(SkipReplication)
		return
	}
	if r.Truncated {
		m.coverage.Truncated++
	}
	command := slices.Clone(r.Command)
	redacted := isRedacted(command)
	if redacted {
		m.coverage.Redacted++
		command = m.redaction.document(command, "")
	}
	name, statement := writeOf(&r, command)
	if statement && m.config.Grouped {
		m.hold(&r, conn, name, statementOf(&r, command), redacted)
		return
	}
	before := m.held[conn.ID]
	delete(m.held, conn.ID)
	writes := !statement && (name == "update" || name == "delete") && op.Get(command, name+"s").Type == 0
	switch {
	case before != nil && !statement && name == before.name && before.command == nil:
		before.finish(&r, command)
		m.leave(before)
		return
	case before != nil:
		m.leave(before)
	}
	switch {
	case writes && m.config.Grouped:
		m.holdCommand(&r, conn, name, command, redacted)
		return
	case writes && !r.Truncated:
		m.skip(SkipDuplicate)
		return
	}
	m.send(m.operation(&r, conn, command, redacted))
}

func (m *Maker) skip(why string) { m.coverage.Skipped[why]++ }

func (m *Maker) send(o *op.Operation) { m.stretches.add(o, o.Latency) }

// Flush sends what waits for records to come: at the end, and when a live log is
// silent.
func (m *Maker) Flush() {
	for _, id := range m.order {
		if b := m.held[id]; b != nil {
			delete(m.held, id)
			m.leave(b)
		}
	}
	m.order = m.order[:0]
	m.stretches.release()
}

// skipped says why a record is no operation of a client.
func skipped(r *Record) string {
	if r.Server || r.Kind == "none" {
		return SkipInternal
	}
	if r.NS == "local.oplog.rs" {
		return SkipReplication
	}
	if _, kind := op.Command(op.FirstKey(r.Command)); kind == op.KindHandshake && !r.Legacy {
		return SkipHandshake
	}
	for _, d := range []bsoncore.Document{r.Command, r.Original} {
		if stages := op.Docs(op.Get(d, "pipeline")); len(stages) > 0 && op.FirstKey(stages[0]) == "$changeStream" {
			return SkipChangeStream
		}
	}
	return ""
}

// operation is one that a record tells all of.
func (m *Maker) operation(r *Record, conn *op.Conn, command bsoncore.Document, redacted bool) *op.Operation {
	ns := op.ParseNamespace(strings.Clone(r.NS))
	if redacted {
		command = renamed(command, ns)
	}
	o := &op.Operation{
		Time: r.End.Add(-r.Took), Latency: r.Took, Has: m.config.Has, Source: m.config.Source, Conn: conn,
		Cut: r.Truncated, Bytes: len(command),
		Exec: op.Exec{KeysExamined: r.Keys, DocsExamined: r.Docs, Plan: r.Plan, SortInMemory: r.Sorted},
	}
	o.Read(wire(r, ns, command), ns.DB)
	if o.NS.Coll == "" && (o.Kind == op.KindRead || o.Kind == op.KindWrite) && !strings.HasPrefix(ns.Coll, "$cmd") && o.Command != "bulkWrite" {
		o.NS = ns
	}
	o.Reply = reply(o, r)
	if o.Command == "getMore" {
		o.Origin = m.origin(r, ns)
	}
	if !redacted && o.Kind == op.KindRead {
		o.View = view(r)
	}
	m.cursors.open(o)
	return o
}

// view is the view that was read: the server resolves a chain of them to one
// pipeline on the collection at its end.
func view(r *Record) *op.View {
	for _, d := range op.Docs(r.Views) {
		if op.Str(op.Get(d, "viewNamespace")) != r.NS {
			continue // of a $lookup
		}
		d = slices.Clone(d)
		chain := op.Arr(op.Get(d, "dependencyChain"))
		if chain == nil {
			return nil
		}
		v := op.View{Name: op.ParseNamespace(strings.Clone(r.NS)).Coll, Pipeline: op.Docs(op.Get(d, "resolvedPipeline"))}
		for name := range op.Items(chain) {
			v.On = op.Str(name)
		}
		if v.On == "" {
			return nil
		}
		return &v
	}
	return nil
}

// reply is what the server answered, as far as it is logged.
func reply(o *op.Operation, r *Record) op.Reply {
	out := op.Reply{
		Seen: true, OK: !r.Failed, Code: r.Code, CodeName: r.CodeName, Returned: int(r.Returned), Bytes: int(r.Bytes),
		N: r.Matched + r.Upserted + r.Deleted + r.Inserted, Modified: r.Modified, Upserted: int(r.Upserted),
	}
	if !r.Exhausted {
		out.CursorID = r.Cursor
	}
	switch o.Command {
	case "findAndModify":
		out.Returned = int(min(r.Matched+r.Deleted, 1))
	case "count":
		out.N = -1 // it is not logged
	case "find", "aggregate":
		out.Seen = out.Seen && (r.Failed || r.Returned >= 0) // that of a batch that was cut is unknown, and many
	case "update", "delete", "insert":
		out.Returned = 0
		if r.Failed { // the command says ok, and lists what failed
			out.OK, out.Errors = true, 1
		}
	}
	return out
}

// renamed puts the names back that stand beside a redacted command.
func renamed(command bsoncore.Document, ns op.Namespace) bsoncore.Document {
	at, out := bsoncore.AppendDocumentStart(nil)
	first := true
	for k, v := range op.Fields(command) {
		hides := bytes.HasPrefix([]byte(op.Str(v)), []byte(hidden))
		switch {
		case k == "$db" && hides:
			out = bsoncore.AppendStringElement(out, k, ns.DB)
		case (first || k == "collection") && hides && !strings.HasPrefix(ns.Coll, "$cmd"):
			out = bsoncore.AppendStringElement(out, k, ns.Coll)
		default:
			out = bsoncore.AppendValueElement(out, k, v)
		}
		first = false
	}
	out, _ = bsoncore.AppendDocumentEnd(out, at)
	return out
}
