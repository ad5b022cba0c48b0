package op

import (
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Source names the way an operation was seen.
type Source string

// The sources.
const (
	SourceProxy    Source = "proxy"
	SourcePcap     Source = "pcap"
	SourceLog      Source = "log"
	SourceProfiler Source = "profiler"
)

// Sequence is a kind-1 section of a request: a named list of documents that
// belongs to the command as if it stood in its body.
type Sequence struct {
	Name string
	Docs []bsoncore.Document
}

// Operation is one command a client sent, with what became of it. It is frozen
// once it was emitted: only the memoized views change, and they are for the one
// goroutine that judges it.
type Operation struct {
	Time    time.Time     // the request's last byte, by the traffic's clock
	Latency time.Duration // from there to the last byte of the reply; 0 when unknown
	Has     Has           // what its source can tell
	Source  Source
	Conn    *Conn
	NS      Namespace
	Command string // canonical name, see Command
	Kind    Kind
	Body    bsoncore.Document // nil for commands that carry credentials
	Seqs    []Sequence
	Bytes   int    // size of the request message
	Cut     bool   // the request was longer than what is kept: absence proves nothing
	Comment string // cleaned, see Comment
	Reply   Reply
	Exec    Exec
	Session Session
	Sample  Sample
	// Origin is the operation that opened the cursor of a getMore, when known.
	Origin *Origin
	// View is the view that was read, when the source says so; others leave it to
	// the engine to know views.
	View *View
	// Notice says what a notice tells, from a closed set; see Notice.
	Notice NoticeKind
	// Introduces says that a hello carried the client's metadata: the first one of
	// a connection does.
	Introduces bool
	// X509 says that the client logs in by the certificate of its TLS. It is all
	// that is kept of how one logs in.
	X509 bool
	// Hosts are the members a hello reply advertises.
	Hosts []string

	statements []Statement
	parsed     bool
	room       *Room
	traits     Traits
	stored     Namespace // of a read through a view
}

// Sample says which part of the traffic an operation stands for. Under load not
// every operation is decoded; see package session. The zero value is for traffic
// of which nothing was left out.
type Sample struct {
	// Stretch numbers the stretch of traffic the operation belongs to. All of one
	// stretch was seen, of all connections; between operations of different ones
	// others may have been left out, so that what did not come may have come.
	Stretch uint64
	// Alone says that the operations around it were left out: it is shown to rules
	// that judge each operation by itself.
	Alone bool
	// Weight is how many operations of its shape it stands for, itself included.
	Weight int64
	// Every is of how many operations one is seen by rules that keep state.
	Every int64
}

// Count is how many operations an operation stands for, as far as its shape
// alone decides.
func (s Sample) Count() int64 { return max(s.Weight, 1) }

// Rate is of how many operations one was in a stretch.
func (s Sample) Rate() int64 { return max(s.Every, 1) }

// Origin is what a cursor remembers of the command that opened it.
type Origin struct {
	Command string
	NS      Namespace
	Shape   Shape
}

// NoticeKind is a fact about a connection.
type NoticeKind string

// The notices.
const (
	NoticeTLS          NoticeKind = "tls"
	NoticeHTTP         NoticeKind = "http"
	NoticeProxyHeader  NoticeKind = "proxy-header"
	NoticeBadLength    NoticeKind = "bad-length"
	NoticeLegacyOpcode NoticeKind = "legacy-opcode"
	NoticeUnknown      NoticeKind = "unknown-opcode"
	NoticeCompressor   NoticeKind = "unknown-compressor"
	NoticeMidStream    NoticeKind = "mid-stream"
)

// Statements are the units that rules judge: one for find, one per entry of an
// update. They are parsed at first use, and valid as long as the operation is
// judged.
func (o *Operation) Statements() []Statement {
	if !o.parsed {
		o.parsed = true
		o.statements = parseStatements(o)
	}
	return o.statements
}

// Stored is the collection whose documents the operation is about: that below,
// for a read of a view.
func (o *Operation) Stored() Namespace {
	if o.stored != (Namespace{}) {
		return o.stored
	}
	return o.NS
}

// Room is memory for the statements of one operation after the other.
type Room struct {
	statements []Statement
}

// maxRoom is how many statements a Room keeps memory for, about 2 MiB.
const maxRoom = 4096

// Borrow makes the operation parse its statements into room, until Return.
func (o *Operation) Borrow(room *Room) {
	if !o.parsed {
		o.room = room
	}
}

// Return gives the room back: statements taken before are not valid any more,
// and parsed again when they are asked for.
func (o *Operation) Return() {
	if o.room == nil {
		return
	}
	if o.parsed {
		clear(o.statements)
		if n := cap(o.statements); n > cap(o.room.statements) && n <= maxRoom {
			o.room.statements = o.statements[:0]
		}
		o.statements, o.parsed = nil, false
	}
	o.room = nil
}

// space is where n statements can be appended.
func (o *Operation) space(n int) []Statement {
	if o.room != nil && cap(o.room.statements) >= n {
		return o.room.statements[:0]
	}
	return make([]Statement, 0, n)
}

// Shape is the shape of the operation's first statement, which is the shape of
// the command unless it is a batch of different ones.
func (o *Operation) Shape() Shape {
	s := o.Statements()
	if len(s) == 0 {
		return Shape{}
	}
	return s[0].Shape()
}

// ShapeID is the ID of [Operation.Shape], without the text.
func (o *Operation) ShapeID() uint64 {
	s := o.Statements()
	if len(s) == 0 {
		return 0
	}
	return s[0].ShapeID()
}

// docs are the documents of a body field, or of the kind-1 sequence that stands for it.
func (o *Operation) docs(name string) []bsoncore.Document {
	for i := range o.Seqs {
		if o.Seqs[i].Name == name {
			return o.Seqs[i].Docs
		}
	}
	return Docs(Get(o.Body, name))
}
