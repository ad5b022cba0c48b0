package profiler

import (
	"bufio"
	"bytes"
	"io"
	"sync"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/extjson"
	"mongoadvisor/internal/source/logged"
)

// Why documents are left out, beside the reasons of package logged; closed sets.
const (
	SkipUnrecognised = "unrecognised" // not of system.profile

	BadJSON  = "bad-json"
	BadBSON  = "bad-bson"
	TooLarge = "too-large"
)

// Config is what an export makes operations for.
type Config struct {
	// Emit takes each operation, on the goroutine that reads; it owns it, and must not
	// ask the profile.
	Emit func(*op.Operation)
}

// Profile turns the documents of one run into operations; several files may follow
// each other. It may be asked for its coverage while it reads.
type Profile struct {
	mu         sync.Mutex
	maker      *logged.Maker
	counts     *op.RecordCoverage
	recognised int64
	buf        []byte
}

// New begins a run. The profiler names the host of a client and not its connection,
// and each statement of a write without its command.
func New(c Config) *Profile {
	emit := c.Emit
	if emit == nil {
		emit = func(*op.Operation) {}
	}
	m := logged.New(logged.Config{Source: op.SourceProfiler, Has: op.HasReply | op.HasLatency | op.HasExec, Emit: emit})
	return &Profile{maker: m, counts: m.Counts()}
}

// Coverage is what was read so far.
func (p *Profile) Coverage() op.RecordCoverage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.maker.Coverage()
}

// Has is what the export tells, as far as it was read.
func (p *Profile) Has() op.Has {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.maker.Has()
}

// Read reads a whole export.
func (p *Profile) Read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 256<<10)
	head, _ := in.Peek(5)
	var err error
	if isBSON(head) {
		err = eachBSON(in, p.document, p.broken)
	} else {
		err = eachObject(in, p.object, p.broken)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.maker.Flush()
	return err
}

// isBSON tells a dump from text, in which no byte is zero.
func isBSON(head []byte) bool { return len(head) >= 5 && bytes.IndexByte(head[:5], 0) >= 0 }

// object takes the text of one.
func (p *Profile) object(text []byte) {
	var err error
	p.buf, _, err = extjson.Append(p.buf[:0], text)
	if err != nil {
		p.broken(BadJSON, len(text))
		return
	}
	p.take(p.buf, len(text))
}

// document takes one of a dump.
func (p *Profile) document(doc []byte) {
	if !valid(doc, 0) {
		p.broken(BadBSON, len(doc))
		return
	}
	p.take(doc, len(doc))
}

// take reads a document, which is not kept.
func (p *Profile) take(doc bsoncore.Document, size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.Records++
	p.counts.Bytes += int64(size)
	if op.Str(op.Get(doc, "op")) == "" || op.Str(op.Get(doc, "ns")) == "" || op.Get(doc, "ts").Type != bsoncore.TypeDateTime {
		p.counts.Skipped[SkipUnrecognised]++
		return
	}
	p.recognised++
	p.maker.Add(logged.Read(doc))
}

func (p *Profile) broken(reason string, size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.Records++
	p.counts.Bytes += int64(size)
	p.maker.Undecoded(reason)
}

// Is reports whether a file that begins so is an export of system.profile.
func Is(head []byte) bool {
	p := New(Config{})
	_ = p.Read(bytes.NewReader(head)) // it ends in the middle of a document
	return p.recognised > 0 || startsLikeProfile(head)
}

// startsLikeProfile looks at a first document that is longer than what is seen of
// the file: "op" is its first field, and "ns" the next.
func startsLikeProfile(head []byte) bool {
	text := bytes.TrimLeft(head, " \t\r\n[\xef\xbb\xbf")
	if bytes.HasPrefix(text, []byte("{")) && !isBSON(head) {
		text = bytes.Join(bytes.Fields(text[:min(len(text), 512)]), nil)
		return bytes.HasPrefix(text, []byte(`{"op":"`)) && bytes.Contains(text, []byte(`"ns":"`))
	}
	return len(head) > 16 && bytes.HasPrefix(head[4:], []byte("\x02op\x00"))
}
