package session

import (
	"encoding/binary"
	"hash/crc32"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// Builders of messages for the tests.

func document(d bson.D) bsoncore.Document {
	b, err := bson.Marshal(d)
	if err != nil {
		panic(err)
	}
	return b
}

func packet(id, to int32, code wire.OpCode, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(wire.HeaderSize+len(body)))
	b = binary.LittleEndian.AppendUint32(b, uint32(id))
	b = binary.LittleEndian.AppendUint32(b, uint32(to))
	b = binary.LittleEndian.AppendUint32(b, uint32(code))
	return append(b, body...)
}

func opMsg(id, to int32, flags wire.MsgFlags, d bson.D) []byte {
	b := append(binary.LittleEndian.AppendUint32(nil, uint32(flags)), 0)
	b = append(b, document(d)...)
	if !flags.Has(wire.ChecksumPresent) {
		return packet(id, to, wire.OpMsg, b)
	}
	p := packet(id, to, wire.OpMsg, append(b, 0, 0, 0, 0))
	sum := crc32.Checksum(p[:len(p)-4], crc32.MakeTable(crc32.Castagnoli))
	binary.LittleEndian.PutUint32(p[len(p)-4:], sum)
	return p
}

func opQuery(id int32, collection string, d bson.D) []byte {
	b := append(append(make([]byte, 4), collection...), 0)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint32(b, 0xffffffff)
	return packet(id, 0, wire.OpQuery, append(b, document(d)...))
}

func opUpdate(id int32, collection string, filter, update bson.D) []byte {
	b := append(append(make([]byte, 4), collection...), 0)
	b = append(b, 0, 0, 0, 0)
	return packet(id, 0, wire.OpUpdate, append(append(b, document(filter)...), document(update)...))
}

func opReply(id, to int32, d bson.D) []byte {
	b := make([]byte, 16)
	b = binary.LittleEndian.AppendUint32(b, 1)
	return packet(id, to, wire.OpReply, append(b, document(d)...))
}

func find(coll string) bson.D {
	return bson.D{{Key: "find", Value: coll}, {Key: "filter", Value: bson.D{{Key: "a", Value: 1}}}, {Key: "$db", Value: "shop"}}
}

func cursorReply(batch string, cursor int64, docs ...any) bson.D {
	return bson.D{
		{Key: "cursor", Value: bson.D{{Key: batch, Value: bson.A(docs)}, {Key: "id", Value: cursor}, {Key: "ns", Value: "shop.orders"}}},
		{Key: "ok", Value: 1.0},
	}
}

var okReply = bson.D{{Key: "ok", Value: 1.0}}

// rig is one connection with all that is behind it.
type rig struct {
	t       testing.TB
	stats   *Stats
	pending *Pending
	cursors *Cursors
	ops     []*op.Operation
	notices []op.NoticeKind
	session *Session
	framers [2]wire.Framer
	now     time.Time
}

func newRig(t testing.TB) *rig {
	r := &rig{t: t, stats: &Stats{}, pending: NewPending(1 << 20), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	r.cursors = NewCursors(100, r.stats)
	r.session = r.connect()
	r.framers[FromServer].Limit = DefaultReplyLimit
	return r
}

func (r *rig) config() Config {
	return Config{
		Source: op.SourceProxy, Has: op.HasTraffic, Stats: r.stats, Cursors: r.cursors,
		Pending: r.pending, Emit: r.emit,
	}
}

func (r *rig) connect() *Session { return New(r.config(), op.Conn{ID: 1}) }

func (r *rig) emit(o *op.Operation) {
	if o.Command == op.Notice {
		r.notices = append(r.notices, o.Notice)
		return
	}
	r.ops = append(r.ops, o)
}

// client sends bytes to the server, server answers.
func (r *rig) client(b ...[]byte) { r.feed(FromClient, b) }
func (r *rig) server(b ...[]byte) { r.feed(FromServer, b) }

func (r *rig) feed(d Direction, parts [][]byte) {
	r.t.Helper()
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	r.now = r.now.Add(time.Millisecond)
	f := &r.framers[d]
	for m, rest, ok := f.Next(b); ok; m, rest, ok = f.Next(rest) {
		r.stats.message(d, m.OpCode)
		if d == FromClient {
			r.session.Request(r.now, m)
		} else {
			r.session.Reply(r.now, m)
		}
	}
}

// commands lists what was emitted, in order.
func (r *rig) commands() []string {
	var out []string
	for _, o := range r.ops {
		out = append(out, o.Command)
	}
	return out
}

// idle fails when something still waits.
func (r *rig) idle() {
	r.t.Helper()
	if len(r.session.pending) != 0 || r.pending.used != 0 {
		r.t.Errorf("%d requests with %d bytes still wait", len(r.session.pending), r.pending.used)
	}
}

// compressed packs a message without making it smaller.
func compressed(p []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, binary.LittleEndian.Uint32(p[12:]))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p)-wire.HeaderSize))
	b = append(append(b, 0), p[wire.HeaderSize:]...)
	return packet(int32(binary.LittleEndian.Uint32(p[4:])), int32(binary.LittleEndian.Uint32(p[8:])), wire.OpCompressed, b)
}
