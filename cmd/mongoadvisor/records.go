package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/mongolog"
	"mongoadvisor/internal/source/profiler"
)

// recordReader is a log or a profiler export being read.
type recordReader interface {
	Read(r io.Reader) error
	Coverage() op.RecordCoverage
	Has() op.Has
}

// records reads logs, or profiler exports, as one run. Several files are read beside
// each other, and their operations judged in the order of time: they are those of the
// members of a set, or the parts of one.
type records struct {
	from    op.Source
	inputs  []*input
	emit    func(*op.Operation)
	readers []recordReader
	counted atomic.Int64
	torn    []error
}

func newRecords(inputs []*input, emit func(*op.Operation)) *records {
	s := &records{from: op.SourceLog, inputs: inputs}
	if inputs[0].kind == kindProfiler {
		s.from = op.SourceProfiler
	}
	s.emit = func(o *op.Operation) {
		s.counted.Add(1)
		emit(o)
	}
	return s
}

// reader makes what reads one file.
func (s *records) reader(emit func(*op.Operation)) recordReader {
	var r recordReader
	if s.from == op.SourceProfiler {
		r = profiler.New(profiler.Config{Emit: emit})
	} else {
		r = mongolog.New(mongolog.Config{Emit: emit})
	}
	s.readers = append(s.readers, r)
	return r
}

func (s *records) read() error {
	if len(s.inputs) == 1 {
		return s.readOne(s.inputs[0], s.reader(s.emit))
	}
	var strands []*strand
	for i, in := range s.inputs {
		x := newStrand(i)
		r := s.reader(x.put)
		go func() {
			x.err = s.readOne(in, r)
			x.close()
		}()
		strands = append(strands, x)
	}
	for next := earliest(strands); next != nil; next = earliest(strands) {
		s.emit(next.take())
	}
	for _, x := range strands {
		if x.err != nil {
			return x.err
		}
	}
	return nil
}

// readOne reads a file to its end.
func (s *records) readOne(in *input, r recordReader) error {
	file, err := in.open()
	if err != nil {
		return err
	}
	defer in.close()
	if err := r.Read(file); err != nil {
		in.broken = fmt.Errorf("%s is damaged, %w: the report is about what comes before", title(in.name), err)
	}
	return nil
}

func (s *records) source() op.Source { return s.from }

// has is what all files tell.
func (s *records) has() op.Has {
	has := s.readers[0].Has()
	for _, r := range s.readers[1:] {
		has &= r.Has()
	}
	return has
}

func (s *records) coverage() op.Coverage {
	sum := op.RecordCoverage{Skipped: map[string]int64{}, Undecoded: map[string]int64{}, Complete: true}
	for _, r := range s.readers {
		c := r.Coverage()
		sum.Records += c.Records
		sum.Bytes += c.Bytes
		sum.Slow += c.Slow
		sum.Decoded += c.Decoded
		sum.Truncated += c.Truncated
		sum.Redacted += c.Redacted
		sum.Complete = sum.Complete && c.Complete
		for reason, n := range c.Skipped {
			sum.Skipped[reason] += n
		}
		for reason, n := range c.Undecoded {
			sum.Undecoded[reason] += n
		}
	}
	return recordCoverage(sum, s.counted.Load())
}

// recordCoverage is the coverage of a log or export of which so many operations came.
func recordCoverage(records op.RecordCoverage, operations int64) op.Coverage {
	c := op.Coverage{Records: &records, Operations: operations, SampleRate: 1, Ratio: 1}
	if records.Slow > 0 {
		c.Ratio = float64(records.Decoded) / float64(records.Slow)
	}
	return c
}

func (s *records) why() string {
	c := s.coverage().Records
	switch {
	case c.Decoded > 0:
		return ""
	case c.Slow > 0:
		return fmt.Sprintf("none of %d records of operations could be understood", c.Slow)
	case s.from == op.SourceProfiler:
		return "no document of system.profile is in it"
	}
	return "no line tells of an operation; the server logs those slower than slowms, and all after db.setProfilingLevel(0, { slowms: 0 })"
}

func (s *records) unfinished() []error {
	for _, in := range s.inputs {
		if in.broken != nil {
			s.torn = append(s.torn, in.broken)
			in.broken = nil
		}
	}
	return s.torn
}

// strand is the operations of one of several files, on their way to be judged with
// the others.
type strand struct {
	number uint64
	batch  []*op.Operation
	queue  chan []*op.Operation
	head   []*op.Operation // taken out of queue
	ended  bool
	conns  map[*op.Conn]*op.Conn
	err    error // of reading, once queue is closed
}

// strandBatch is how many operations go through the queue together, and strandBatches
// how many batches wait.
const (
	strandBatch   = 64
	strandBatches = 4
	// fileShift keeps numbers of different files apart: connections, and stretches.
	fileShift = 48
	// maxStrandConns bounds the connections that are remembered of one file.
	maxStrandConns = 4096
)

func newStrand(i int) *strand {
	return &strand{number: uint64(i+1) << fileShift, queue: make(chan []*op.Operation, strandBatches), conns: map[*op.Conn]*op.Conn{}}
}

// put takes an operation, before anybody else has seen it.
func (x *strand) put(o *op.Operation) {
	if o.Conn != nil {
		o.Conn = x.conn(o.Conn)
	}
	if o.Sample.Stretch != 0 {
		o.Sample.Stretch += x.number
	}
	if x.batch = append(x.batch, o); len(x.batch) >= strandBatch {
		x.queue <- x.batch
		x.batch = nil
	}
}

// conn is the connection with a number that no other file has.
func (x *strand) conn(c *op.Conn) *op.Conn {
	if own, ok := x.conns[c]; ok {
		return own
	}
	if len(x.conns) >= maxStrandConns {
		clear(x.conns)
	}
	own := *c
	own.ID += x.number
	x.conns[c] = &own
	return &own
}

func (x *strand) close() {
	if len(x.batch) > 0 {
		x.queue <- x.batch
	}
	close(x.queue)
}

// when is the end of the next operation; ok is false when there is none any more.
func (x *strand) when() (at time.Time, ok bool) {
	for len(x.head) == 0 {
		if x.ended {
			return at, false
		}
		batch, more := <-x.queue
		x.head, x.ended = batch, !more
	}
	return x.head[0].Time.Add(x.head[0].Latency), true
}

func (x *strand) take() *op.Operation {
	o := x.head[0]
	x.head = x.head[1:]
	return o
}

// earliest is the strand whose next operation ended first, nil when all are at their
// ends.
func earliest(strands []*strand) *strand {
	var next *strand
	var first time.Time
	for _, x := range strands {
		if at, ok := x.when(); ok && (next == nil || at.Before(first)) {
			next, first = x, at
		}
	}
	return next
}
