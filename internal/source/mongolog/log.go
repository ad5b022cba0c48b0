package mongolog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/logged"
)

// maxLine is the longest line that is read, in bytes. The server cuts commands at
// 10 kB unless it is told otherwise.
const maxLine = 32 << 20

// Why lines are left out, beside the reasons of package logged; closed sets.
const (
	SkipLongLine     = "long-line"
	SkipUnrecognised = "unrecognised-line" // neither of mongod nor around a line of it

	BadJSON     = "bad-json"
	BadDocument = "bad-document" // of a text line
	CutDocument = "truncated"    // the server left out the middle of a text line
)

// Config is what a log makes operations for.
type Config struct {
	// Emit takes each operation, on the goroutine that reads; it owns it, and must not
	// ask the log.
	Emit func(*op.Operation)
}

// Log turns the lines of one run into operations; several files may follow each
// other. It may be asked for its coverage while it reads.
type Log struct {
	mu         sync.Mutex
	maker      *logged.Maker
	counts     *op.RecordCoverage
	recognised int64

	buf     []byte // BSON of the line being read
	partial []byte // of a line that a container engine has split
	open    []byte // of a document over several lines
	level   int    // of its brackets
	depth   int    // of wrappings around the line being read
}

// New begins a run.
func New(c Config) *Log {
	emit := c.Emit
	if emit == nil {
		emit = func(*op.Operation) {}
	}
	m := logged.New(logged.Config{
		Source: op.SourceLog, Has: op.HasReply | op.HasLatency | op.HasConn | op.HasExec, Emit: emit, Grouped: true,
	})
	return &Log{maker: m, counts: m.Counts()}
}

// Coverage is what was read so far.
func (l *Log) Coverage() op.RecordCoverage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.maker.Coverage()
}

// Has is what the log tells, as far as it was read: every operation only if it
// shows that all were logged.
func (l *Log) Has() op.Has {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.maker.Has()
}

// Read reads a whole log.
func (l *Log) Read(r io.Reader) error {
	if err := eachLine(r, l.Line, l.tooLong); err != nil {
		return err
	}
	l.Flush()
	return nil
}

// eachLine calls line with each, without what ends it, and long for one that is too
// long. The bytes are valid until the call returns.
func eachLine(r io.Reader, line func([]byte), long func(int)) error {
	in := bufio.NewReaderSize(r, 256<<10)
	var kept []byte
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		whole := part
		if err != nil || len(kept) > 0 {
			if size <= maxLine {
				kept = append(kept, part...)
			}
			whole = kept
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		switch {
		case size > maxLine:
			long(size)
		case len(whole) > 0:
			line(bytes.TrimSuffix(whole, []byte("\n")))
		}
		kept, size = kept[:0], 0
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (l *Log) tooLong(size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.Records++
	l.counts.Bytes += int64(size)
	l.counts.Skipped[SkipLongLine]++
}

// Line reads one line. Operations that depend on what comes wait for Flush.
func (l *Log) Line(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.Records++
	l.counts.Bytes += int64(len(line)) + 1
	l.line(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
}

// Flush sends what waits for lines to come: at the end of a file, and when a log
// that is followed is silent.
func (l *Log) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.abandon()
	if len(l.partial) > 0 {
		l.plain(l.partial)
		l.partial = nil
		l.abandon()
	}
	l.maker.Flush()
}

// Is reports whether a file that begins so is a log of mongod.
func Is(head []byte) bool {
	l := New(Config{})
	_ = l.Read(bytes.NewReader(head)) // memory does not fail
	return l.recognised > 0 || startsLikeLog(head)
}

// startsLikeLog looks at a first line that is longer than what is seen of the file:
// the time is the first of an entry, whatever is around it.
func startsLikeLog(head []byte) bool {
	head = head[:min(len(head), maxPrefix)]
	return bytes.Contains(head, []byte(`{"t":{"$date":"`)) || bytes.Contains(head, []byte(`{\"t\":{\"$date\":\"`))
}
