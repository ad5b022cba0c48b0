package session

import (
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// W-07: no reply comes for w:0, and none may be waited for.
func TestUnacknowledgedWriteTakesNoReply(t *testing.T) {
	r := newRig(t)
	insert := bson.D{{Key: "insert", Value: "logs"}, {Key: "documents", Value: bson.A{bson.D{{Key: "a", Value: 1}}}}, {Key: "$db", Value: "shop"}}
	r.client(opMsg(1, 0, wire.MoreToCome, insert), opMsg(2, 0, 0, find("orders")))
	r.server(opMsg(9, 2, 0, cursorReply("firstBatch", 0)))
	if got := r.commands(); !slices.Equal(got, []string{"insert", "find"}) {
		t.Fatalf("emitted %v", got)
	}
	if r.ops[0].Reply.Seen || len(r.ops[0].Statements()) != 1 || !r.ops[1].Reply.Seen {
		t.Errorf("insert %+v, find %+v", r.ops[0].Reply, r.ops[1].Reply)
	}
	if r.stats.Orphans.Load() != 0 || r.stats.Unanswered.Load() != 0 {
		t.Errorf("%d orphans, %d unanswered", r.stats.Orphans.Load(), r.stats.Unanswered.Load())
	}
	r.idle()
}

// W-34: the pair of OP_UPDATE and getLastError.
func TestLegacyWriteIsNotWaitedFor(t *testing.T) {
	r := newRig(t)
	for i := range int32(2) {
		r.client(
			opUpdate(10*i+1, "test.t", bson.D{{Key: "_id", Value: 1}}, bson.D{{Key: "$push", Value: bson.D{{Key: "log", Value: 1}}}}),
			opQuery(10*i+2, "test.$cmd", bson.D{{Key: "getlasterror", Value: 1}}))
		if len(r.session.pending) != 1 {
			t.Fatalf("%d requests wait, want getLastError alone", len(r.session.pending))
		}
		r.server(opReply(10*i+3, 10*i+2, okReply))
	}
	if got := r.commands(); !slices.Equal(got, []string{"getLastError", "getLastError"}) || !r.ops[0].Reply.OK || r.ops[0].NS.String() != "test" {
		t.Errorf("emitted %v", got)
	}
	if !slices.Equal(r.notices, []op.NoticeKind{op.NoticeLegacyOpcode}) {
		t.Errorf("notices %v, want one", r.notices)
	}
	if c := r.stats.Coverage(); c.Undecoded["legacy"] != 2 || c.RepliesUnpaired != 0 {
		t.Errorf("coverage %+v", c)
	}
	r.idle()
}

// W-43: three messages of an unknown opcode are one notice.
func TestUnknownOpcodeIsOneNotice(t *testing.T) {
	r := newRig(t)
	body := opMsg(1, 0, 0, find("orders"))[wire.HeaderSize:]
	for i := range int32(3) {
		r.client(packet(i, 0, 2269, body))
	}
	if !slices.Equal(r.notices, []op.NoticeKind{op.NoticeUnknown}) || len(r.ops) != 0 {
		t.Errorf("notices %v, operations %v", r.notices, r.commands())
	}
	if r.stats.Coverage().Undecoded["opcode"] != 3 || r.stats.Messages[FromClient][len(OpCodes)-1].Load() != 3 {
		t.Errorf("coverage %+v", r.stats.Coverage())
	}
}

// W-09: the checksum is no section, and a wrong one is not our business.
func TestChecksumIsLeftOut(t *testing.T) {
	for name, flip := range map[string]byte{"right": 0, "wrong": 1} {
		r := newRig(t)
		ping := opMsg(1, 0, wire.ChecksumPresent, bson.D{{Key: "ping", Value: 1}, {Key: "$db", Value: "admin"}})
		ping[len(ping)-1] ^= flip
		r.client(ping)
		r.server(opMsg(2, 1, wire.ChecksumPresent, okReply))
		if got := r.commands(); !slices.Equal(got, []string{"ping"}) || !r.ops[0].Reply.OK || len(r.stats.Coverage().Undecoded) != 0 {
			t.Errorf("%s checksum: %v, %+v", name, got, r.stats.Coverage())
		}
		r.idle()
	}
}

func TestReplyWithoutItsRequestIsCounted(t *testing.T) {
	r := newRig(t)
	r.server(opMsg(5, 77, 0, okReply))
	r.client(opMsg(1, 0, 0, find("orders")))
	r.server(opMsg(6, 1, 0, cursorReply("firstBatch", 0)))
	if r.stats.Orphans.Load() != 1 || len(r.ops) != 1 || !r.ops[0].Reply.Seen {
		t.Errorf("%d orphans, %v", r.stats.Orphans.Load(), r.commands())
	}
}

func TestOldestRequestIsGivenUp(t *testing.T) {
	r := newRig(t)
	for i := range int32(maxPending + 3) {
		r.client(opMsg(i, 0, 0, find("orders")))
	}
	if len(r.ops) != 3 || r.stats.Unanswered.Load() != 3 || len(r.session.pending) != maxPending {
		t.Fatalf("%d given up, %d wait", len(r.ops), len(r.session.pending))
	}
	r.server(opMsg(900, 0, 0, cursorReply("firstBatch", 0))) // too late
	if r.stats.Orphans.Load() != 1 || len(r.ops) != 3 {
		t.Errorf("%d orphans, %d operations", r.stats.Orphans.Load(), len(r.ops))
	}
	r.server(opMsg(901, 3, 0, cursorReply("firstBatch", 0)))
	if len(r.ops) != 4 || !r.ops[3].Reply.Seen {
		t.Errorf("%d operations", len(r.ops))
	}
	r.session.Close()
	r.idle()
	if n := len(r.ops); n != maxPending+3 {
		t.Errorf("%d operations in the end, want %d", n, maxPending+3)
	}
}

func TestPendingRequestsHaveABudget(t *testing.T) {
	r := newRig(t)
	r.pending.max = 4000
	for i := range int32(20) {
		other := r.connect() // each connection has one request under way
		f := wire.Framer{}
		m, _, _ := f.Next(opMsg(i, 0, 0, find("orders")))
		other.Request(r.now, m)
		if r.pending.used > r.pending.max {
			t.Fatalf("%d bytes wait, %d are allowed", r.pending.used, r.pending.max)
		}
	}
	if r.stats.Unanswered.Load() == 0 || r.stats.Unanswered.Load() == 20 {
		t.Errorf("%d of 20 given up", r.stats.Unanswered.Load())
	}
}

// A monitor's hello is answered every ten seconds for weeks.
func TestLongStreamCostsNoMoreThanItsRequest(t *testing.T) {
	r := newRig(t)
	hello := bson.D{{Key: "hello", Value: 1}, {Key: "topologyVersion", Value: bson.D{}}, {Key: "maxAwaitTimeMS", Value: 10000}, {Key: "$db", Value: "admin"}}
	r.client(opMsg(1, 0, wire.ExhaustAllowed, hello))
	first := r.pending.used
	for i := range int32(1000) {
		previous := 1000 + i - 1
		if i == 0 {
			previous = 1
		}
		r.server(opMsg(1000+i, previous, wire.MoreToCome, okReply))
	}
	if r.pending.used != first || len(r.session.pending) != 1 {
		t.Errorf("%d bytes wait after 1000 replies, %d before", r.pending.used, first)
	}
	if r.stats.Orphans.Load() != 0 || len(r.ops) != 1000 {
		t.Errorf("%d orphans, %d operations", r.stats.Orphans.Load(), len(r.ops))
	}
	r.session.Close()
	r.idle()
}

// A panic while the rest of a connection is judged costs judgements, not budget.
func TestCloseGivesItsBudgetBackWhateverHappens(t *testing.T) {
	r := newRig(t)
	r.client(opMsg(1, 0, 0, find("a")), opMsg(2, 0, 0, find("b")), opMsg(3, 0, 0, find("c")))
	r.session.emit = func(*op.Operation) { panic("rule") }
	func() {
		defer func() { _ = recover() }()
		r.session.Close()
	}()
	r.idle()
}

func TestRepeatedRequestIDsStayBounded(t *testing.T) {
	r := newRig(t)
	for i := range int32(5000) {
		r.client(opMsg(i%3, 0, 0, find("orders")))
	}
	if len(r.session.pending) > 3 || len(r.session.order) > 4*maxPending {
		t.Errorf("%d wait, %d remembered", len(r.session.pending), len(r.session.order))
	}
}
