package session

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// maxPending is how many requests of one connection may wait for a reply.
// Drivers have up to 3 under way (measured); the oldest goes first beyond that.
const maxPending = 64

// Session pairs the messages of one connection and emits its operations. Not
// safe for concurrent use.
type Session struct {
	conn    *op.Conn
	source  op.Source
	has     op.Has
	stats   *Stats
	cursors *Cursors
	emit    func(*op.Operation)

	pending map[int32]waiting
	budget  *Pending
	order   []int32 // request ids, oldest first; may hold answered ones
	told    map[op.NoticeKind]bool
	skips   *skips // compressed requests that were left out; nil when there was none
}

// waiting is a request whose reply has not come, with what it holds in memory.
type waiting struct {
	op    *op.Operation
	bytes int64
}

// Pending bounds the bytes of requests that wait for their replies, all
// sessions of one queue together. Not safe for concurrent use.
type Pending struct {
	max, used int64
}

// NewPending allows at most maxBytes.
func NewPending(maxBytes int64) *Pending { return &Pending{max: maxBytes} }

// Held is how many bytes wait now: 0 once every session has been closed.
func (p *Pending) Held() int64 { return p.used }

// Config is what the sessions of one source share.
type Config struct {
	Source  op.Source
	Has     op.Has
	Stats   *Stats
	Cursors *Cursors
	Pending *Pending
	// Emit takes each operation; it is called on the goroutine that feeds the
	// session.
	Emit func(*op.Operation)
}

// New starts a session for one connection.
func New(c Config, conn op.Conn) *Session {
	return &Session{
		conn: &conn, source: c.Source, has: c.Has, stats: c.Stats, cursors: c.Cursors, emit: c.Emit,
		pending: map[int32]waiting{}, budget: c.Pending,
	}
}

// Request takes a message of the client. The session owns it from here on.
func (s *Session) Request(now time.Time, m wire.Message) {
	if inner, ok := s.unwrap(now, m); ok {
		s.request(now, inner, int(m.Length), op.Sample{})
	}
}

// unpack takes a compressed request, which could not be judged before.
func (s *Session) unpack(now time.Time, m wire.Message, by *sampler) {
	inner, ok := s.unwrap(now, m)
	if !ok {
		return
	}
	replied := answered(inner.OpCode) && !inner.Flags().Has(wire.MoreToCome)
	v := by.admit(&inner, false, replied && !s.skips.free(m.RequestID))
	if v.decode {
		s.request(now, inner, int(m.Length), v.sample)
		return
	}
	s.stats.leaveOut(false)
	if replied {
		if s.skips == nil {
			s.skips = new(skips)
		}
		s.skips.note(m.RequestID, false)
	}
}

// request takes a message out of its compression, which had size bytes on the wire.
func (s *Session) request(now time.Time, m wire.Message, size int, sample op.Sample) {
	o := &op.Operation{Time: now, Has: s.has, Source: s.source, Conn: s.conn, Bytes: size, Sample: sample}
	answered := true
	switch m.OpCode {
	case wire.OpMsg:
		msg, err := wire.DecodeMsg(m)
		if err != nil {
			s.stats.undecoded(wire.Reason(err))
			return
		}
		o.Cut = msg.Cut
		for _, q := range msg.Sequences {
			o.Seqs = append(o.Seqs, op.Sequence{Name: q.Name, Docs: q.Docs})
		}
		s.command(o, msg.Body, "")
		answered = !msg.Flags.Has(wire.MoreToCome)
	case wire.OpQuery:
		q, err := wire.DecodeQuery(m)
		if err != nil {
			s.stats.undecoded(wire.Reason(err))
			return
		}
		db, isCommand := commandDB(q.Collection)
		if !isCommand {
			s.legacy(now)
			return
		}
		s.command(o, unwrapQuery(q.Body), db)
	default:
		s.other(now, m.OpCode)
		return
	}
	s.stats.Decoded.Add(1)
	s.attribute(o)
	if !answered {
		s.send(o)
		return
	}
	s.wait(m.RequestID, o, int64(len(m.Body)))
}

// Reply takes a message of the server. The session owns it from here on.
func (s *Session) Reply(now time.Time, m wire.Message) {
	id, respondsTo, size := m.RequestID, m.ResponseTo, int(m.Length)
	if left, _ := s.skips.has(respondsTo); left {
		s.skips.end(respondsTo)
		s.stats.leaveOutMessage(false)
		return
	}
	m, ok := s.unwrap(now, m)
	if !ok {
		s.answered(respondsTo) // what it answered is over, whatever it said
		return
	}
	command := ""
	if w := s.pending[respondsTo]; w.op != nil {
		command = w.op.Command
	}
	var reply op.Reply
	var body bsoncore.Document
	more := false
	switch m.OpCode {
	case wire.OpMsg:
		var err error
		if reply, body, more, err = readMsgReply(command, m); err != nil {
			s.stats.undecoded(wire.Reason(err))
			s.answered(respondsTo)
			return
		}
	case wire.OpReply:
		r, err := wire.DecodeReply(m)
		if err != nil {
			s.stats.undecoded(wire.Reason(err))
			s.answered(respondsTo)
			return
		}
		if len(r.Docs) > 0 {
			body = r.Docs[0]
		}
		reply = readReply(command, body)
	default:
		s.other(now, m.OpCode)
		return
	}
	s.stats.Decoded.Add(1)
	reply.Bytes = size
	s.pair(now, id, respondsTo, reply, body, more)
}

func readMsgReply(command string, m wire.Message) (r op.Reply, body bsoncore.Document, more bool, err error) {
	if m.Cut() {
		c, err := wire.DecodeCutReply(m)
		return cutReply(c), nil, c.Flags.Has(wire.MoreToCome), err
	}
	msg, err := wire.DecodeMsg(m)
	if err != nil {
		return op.Reply{}, nil, false, err
	}
	return readReply(command, msg.Body), msg.Body, msg.Flags.Has(wire.MoreToCome), nil
}

// pair completes the request a reply belongs to. An exhaust stream goes on
// under the id of the reply: the next one responds to that (measured on 6.0.5).
func (s *Session) pair(now time.Time, id, respondsTo int32, reply op.Reply, body bsoncore.Document, more bool) {
	size := s.pending[respondsTo].bytes - eventOverhead // wait adds it again
	o := s.take(respondsTo)
	if o == nil {
		s.stats.Orphans.Add(1)
		return
	}
	if more {
		next := *o
		next.Time, next.Introduces = now, false
		s.wait(id, &next, size)
	}
	if s.has&op.HasLatency != 0 && now.After(o.Time) {
		o.Latency = now.Sub(o.Time)
	}
	o.Reply = reply
	if o.Kind == op.KindHandshake {
		o.Hosts = advertised(body)
		o.Conn = s.conn
	}
	s.follow(o)
	s.send(o)
}

// attribute gives a getMore its origin, and forgets cursors that are killed.
func (s *Session) attribute(o *op.Operation) {
	switch o.Command {
	case "getMore":
		id, _ := op.Int(op.Get(o.Body, "getMore"))
		o.Origin = s.cursors.find(id)
	case "killCursors":
		if arr := op.Arr(op.Get(o.Body, "cursors")); arr != nil {
			for v := range op.Items(arr) {
				id, _ := op.Int(v)
				s.cursors.close(id)
			}
		}
	}
}

// follow keeps the cursor table in step with a reply.
func (s *Session) follow(o *op.Operation) {
	switch {
	case o.Command == "getMore":
		if id, ok := op.Int(op.Get(o.Body, "getMore")); ok && o.Reply.OK && o.Reply.CursorID == 0 {
			s.cursors.close(id)
		}
	case o.Reply.CursorID != 0:
		s.cursors.open(o.Reply.CursorID, &op.Origin{Command: o.Command, NS: cloneNS(o.NS), Shape: o.Shape()})
	}
}

// wait keeps a request until its reply. The oldest is given up when too many
// wait, and this one when there is no room: an operation that is given up is
// still judged, without a reply.
func (s *Session) wait(id int32, o *op.Operation, bytes int64) {
	if old := s.take(id); old != nil { // ids repeat only when replies were missed
		s.giveUp(old)
	}
	bytes += eventOverhead
	if s.budget.used+bytes > s.budget.max {
		s.giveUp(o)
		return
	}
	for len(s.pending) >= maxPending {
		oldest := s.order[0]
		s.order = s.order[1:]
		if old := s.take(oldest); old != nil {
			s.giveUp(old)
		}
	}
	s.pending[id] = waiting{o, bytes}
	s.budget.used += bytes
	if len(s.order) >= 2*maxPending { // drop the ids that were answered
		kept := s.order[:0]
		for _, x := range s.order {
			if _, waits := s.pending[x]; waits && x != id {
				kept = append(kept, x)
			}
		}
		s.order = kept
	}
	s.order = append(s.order, id)
}

func (s *Session) take(id int32) *op.Operation {
	w := s.pending[id]
	delete(s.pending, id)
	s.budget.used -= w.bytes
	return w.op
}

// answered completes a request whose reply could not be read.
func (s *Session) answered(id int32) {
	if o := s.take(id); o != nil {
		s.send(o)
	}
}

func (s *Session) giveUp(o *op.Operation) {
	s.stats.Unanswered.Add(1)
	s.send(o)
}

func (s *Session) send(o *op.Operation) {
	s.stats.Operations.Add(1)
	s.emit(o)
}

// Close ends the session: what still waits is judged without its reply, in the
// order in which it was sent. The budget is given back first, whatever judging
// does.
func (s *Session) Close() {
	var left []*op.Operation
	for _, id := range s.order {
		if o := s.take(id); o != nil && o.Kind != op.KindHandshake {
			left = append(left, o)
		}
	}
	s.order = nil
	for _, o := range left {
		s.giveUp(o)
	}
}

// unwrap takes a message out of its compression.
func (s *Session) unwrap(now time.Time, m wire.Message) (wire.Message, bool) {
	if m.OpCode != wire.OpCompressed {
		return m, true
	}
	if declared := unpackedSize(m); declared > maxUnpacked {
		s.stats.undecoded("size")
		return m, false
	}
	inner, err := wire.Decompress(m)
	if err != nil {
		s.stats.undecoded(wire.Reason(err))
		if errors.Is(err, wire.ErrCompressor) {
			s.Notice(now, op.NoticeCompressor)
		}
		return m, false
	}
	return inner, true
}

// maxUnpacked is the largest message that is taken out of its compression, in
// bytes: sixteen times what is kept of a plain request. A bulk insert beyond it
// passes unjudged.
const maxUnpacked = 4 << 20

// unpackedSize is what a compressed message declares.
func unpackedSize(m wire.Message) int64 {
	if len(m.Body) < 8 {
		return 0 // Decompress says what is wrong with it
	}
	return int64(int32(binary.LittleEndian.Uint32(m.Body[4:])))
}

// legacy counts a request of the protocol before OP_MSG that is no command.
func (s *Session) legacy(now time.Time) {
	s.stats.undecoded("legacy")
	s.Notice(now, op.NoticeLegacyOpcode)
}

// other counts a message that is skipped.
func (s *Session) other(now time.Time, code wire.OpCode) {
	switch code {
	case wire.OpInsert, wire.OpUpdate, wire.OpDelete, wire.OpGetMore, wire.OpKillCursors, wire.OpCommand, wire.OpCommandReply, wire.OpReply, wire.OpQuery:
		s.legacy(now)
	default:
		s.stats.undecoded("opcode")
		s.Notice(now, op.NoticeUnknown)
	}
}

// Notice emits a fact about the connection, once each.
func (s *Session) Notice(now time.Time, kind op.NoticeKind) {
	if s.told[kind] {
		return
	}
	if s.told == nil {
		s.told = map[op.NoticeKind]bool{}
	}
	s.told[kind] = true
	s.emit(&op.Operation{Time: now, Has: s.has, Source: s.source, Conn: s.conn, Command: op.Notice, Notice: kind})
}

func cloneNS(ns op.Namespace) op.Namespace {
	return op.Namespace{DB: strings.Clone(ns.DB), Coll: strings.Clone(ns.Coll)}
}
