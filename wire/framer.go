package wire

import (
	"bytes"
	"encoding/binary"
)

// DefaultLimit is how many bytes of a body a Framer keeps unless told otherwise. Requests have a median of 200 to 300 bytes
// and a 99th percentile of about 500; only bulk writes and batches of replies are longer.
const DefaultLimit = 256 << 10

// firstBuffer is the least capacity in bytes a body gets that arrives in pieces, unless it is shorter.
const firstBuffer = 512

// Framer cuts one direction of a connection into messages, whatever chunks it arrives in. The zero value is ready to use.
// It is not safe for concurrent use.
//
// A buffer grows with the bytes that arrive, never with the length a header declares: a connection that declares 48 MB and
// then idles costs its Framer and no more. Of a message longer than Limit the middle is counted and skipped.
type Framer struct {
	// Limit is how many bytes of each body are kept; 0 or less means DefaultLimit. A lower one takes effect at once, for the
	// bytes to come; a higher one with the next message.
	Limit int
	// Borrow lets the body of a message that is complete in the chunk, and not longer than Limit, alias the chunk: see
	// [Message.Borrowed].
	Borrow bool
	// Unwanted is asked at the header of each message that must be put together from several chunks; nil wants all. Of one
	// that is not wanted only the first bytes are kept, enough for [Message.Flags].
	Unwanted func(Header) bool
	// Recover makes the framer look for the next plausible header where one declares a length no message can have, instead of
	// giving the stream up. The first header of a stream must be right all the same. For captures: what a proxy forwards has
	// no place to start again that both ends agree on.
	Recover bool
	// Side is which end sent the stream, for the search behind a [Framer.Gap].
	Side Side

	stage   stage
	head    [HeaderSize]byte
	headLen int

	hdr  Header
	got  int    // bytes of the current body that have arrived
	keep int    // bytes of it that go to body
	bare bool   // it is unwanted: no tail
	body []byte // the first of them, handed over with the message
	tail []byte // the last of them, when the middle is skipped

	proxied bool
	skip    int  // stageProxyV1: bytes of the line so far; stageProxyV2: bytes of the header to come
	lastCR  bool // the PROXY line stands behind a CR
	lost    Lost

	hunt     []byte // stageSearch: the last bytes seen
	doubtful bool   // the message under way was found by a search
	resyncs  int
	missed   int
}

// stage is where in the stream a Framer stands.
type stage uint8

const (
	stageOpening stage = iota // before the first message
	stageHeader
	stageBody
	stageProxyV1 // inside a PROXY line
	stageProxyV2 // inside a binary PROXY header
	stageSearch  // behind a gap, before a plausible header
	stageLost
)

// Next consumes chunk, of which it keeps nothing, up to the end of the first message completed in it. It returns that
// message and what is left unread. ok is false when chunk is used up without completing one; call again until then:
//
//	for m, rest, ok := f.Next(chunk); ok; m, rest, ok = f.Next(rest) {
//
// The message belongs to the caller, unless it is Borrowed.
func (f *Framer) Next(chunk []byte) (m Message, rest []byte, ok bool) {
	if f.Borrow && f.stage == stageHeader && f.headLen == 0 && !f.doubtful {
		if m, ok = borrow(chunk, f.limit()); ok {
			return m, chunk[m.Length:], true
		}
	}
	for len(chunk) > 0 {
		switch f.stage { // every case consumes a byte at least, or ends in stageLost
		case stageOpening:
			chunk = f.open(chunk)
		case stageHeader:
			chunk = f.header(chunk)
		case stageBody:
			chunk = f.fill(chunk)
		case stageProxyV1:
			chunk = f.proxyLine(chunk)
		case stageProxyV2:
			n := min(f.skip, len(chunk))
			f.skip -= n
			chunk = chunk[n:]
			f.endProxy()
		case stageSearch:
			chunk = f.search(chunk)
		case stageLost:
			return Message{}, nil, false
		}
		if f.stage == stageBody && f.got == f.hdr.BodySize() {
			return f.take(), chunk, true
		}
	}
	return Message{}, nil, false
}

// borrow reads the message that chunk begins with, if all of it is there.
func borrow(chunk []byte, limit int) (Message, bool) {
	if len(chunk) < HeaderSize {
		return Message{}, false
	}
	h := parseHeader((*[HeaderSize]byte)(chunk))
	if !legalLength(h.Length) || int(h.Length) > len(chunk) || h.BodySize() > limit {
		return Message{}, false
	}
	return Message{Header: h, Body: chunk[HeaderSize:h.Length:h.Length], Borrowed: true}, true
}

// Lost says why the stream is no longer framed, or "" while it is. Once lost it stays so: a byte stream without a trusted
// length has no place to start again.
func (f *Framer) Lost() Lost { return f.lost }

// Proxied tells whether a PROXY protocol header was skipped before the first message.
func (f *Framer) Proxied() bool { return f.proxied }

// Buffered is the memory in bytes held for the message under way, at most Limit+TailSize+HeaderSize.
func (f *Framer) Buffered() int { return f.headLen + cap(f.body) + cap(f.tail) }

// MidMessage tells whether the stream stands inside a message, its header, or a PROXY header.
func (f *Framer) MidMessage() bool {
	switch f.stage {
	case stageOpening, stageHeader:
		return f.headLen > 0
	case stageSearch, stageLost:
		return false
	default:
		return true
	}
}

// open collects as many bytes of the stream's start as it takes to tell what is spoken.
func (f *Framer) open(chunk []byte) []byte {
	is, need := judgeOpening(f.head[:f.headLen])
	for is == openingUnsure {
		n := copy(f.head[f.headLen:need], chunk)
		f.headLen += n
		chunk = chunk[n:]
		if f.headLen < need {
			return chunk
		}
		is, need = judgeOpening(f.head[:f.headLen])
	}
	if f.proxied && (is == openingProxyV1 || is == openingProxyV2) {
		is = openingBad // one header each connection
	}
	switch is {
	case openingTLS:
		f.lose(LostTLS)
	case openingHTTP:
		f.lose(LostHTTP)
	case openingBad:
		f.lose(LostLength)
	case openingProxyV1:
		f.stage, f.skip, f.headLen = stageProxyV1, f.headLen, 0
	case openingProxyV2:
		if f.head[12]>>4 != 2 {
			f.lose(LostLength)
			break
		}
		f.stage, f.skip, f.headLen = stageProxyV2, int(binary.BigEndian.Uint16(f.head[14:])), 0
		f.endProxy()
	default:
		f.stage = stageHeader
		f.endHeader() // all of it may be there
	}
	return chunk
}

// proxyLine skips to the end of a PROXY v1 line.
func (f *Framer) proxyLine(chunk []byte) []byte {
	part := chunk[:min(len(chunk), proxyV1MaxLine-f.skip)]
	i := bytes.IndexByte(part, '\n')
	if i < 0 {
		f.skip += len(part)
		f.lastCR = part[len(part)-1] == '\r' // part has a byte: skip is under the limit here and chunk is not empty
		if f.skip >= proxyV1MaxLine {
			f.lose(LostLength)
		}
		return chunk[len(part):]
	}
	if i > 0 {
		f.lastCR = part[i-1] == '\r'
	}
	if !f.lastCR {
		f.lose(LostLength)
		return nil
	}
	f.skip = 0
	f.endProxy()
	return chunk[i+1:]
}

// endProxy goes back to the opening once nothing is left to skip: TLS may follow a PROXY header.
func (f *Framer) endProxy() {
	if f.skip == 0 {
		f.stage, f.proxied = stageOpening, true
	}
}

// header collects a message header and checks its length as soon as that has arrived.
func (f *Framer) header(chunk []byte) []byte {
	n := copy(f.head[f.headLen:], chunk)
	f.headLen += n
	illegal := f.headLen >= 4 && !legalLength(i32(f.head[:]))
	if illegal && !f.Recover {
		f.lose(LostLength)
		return nil
	}
	if illegal || f.doubtful && f.headLen == HeaderSize && f.doubt() {
		f.seek(f.head[:f.headLen])
		return chunk[n:]
	}
	if f.headLen == HeaderSize {
		f.doubtful = false
	}
	f.endHeader()
	return chunk[n:]
}

// endHeader starts a body when the header, whose length has been checked, is complete.
func (f *Framer) endHeader() {
	if f.headLen < HeaderSize {
		return
	}
	f.hdr = parseHeader(&f.head)
	f.stage, f.got, f.keep = stageBody, 0, min(f.limit(), f.hdr.BodySize())
	if f.bare = f.Unwanted != nil && f.Unwanted(f.hdr); f.bare {
		f.keep = min(f.keep, flagsSize)
	}
}

func (f *Framer) limit() int {
	if f.Limit <= 0 {
		return DefaultLimit
	}
	return f.Limit
}

// fill takes what belongs to the current body.
func (f *Framer) fill(chunk []byte) []byte {
	size := f.hdr.BodySize()
	n := min(size-f.got, len(chunk))
	part, rest := chunk[:n], chunk[n:]
	if f.got < f.keep { // nothing was skipped yet
		f.keep = max(f.got, min(f.keep, f.limit()))
	}
	if k := min(f.keep-len(f.body), len(part)); k > 0 {
		f.grow(k)
		f.body = append(f.body, part[:k]...)
	}
	if from := max(f.keep, size-TailSize); f.got+n > from && !f.bare {
		if f.tail == nil {
			f.tail = make([]byte, 0, size-from)
		}
		f.tail = append(f.tail, part[max(from-f.got, 0):]...)
	}
	f.got += n
	return rest
}

// grow makes room for n more bytes of body: exactly what is needed when all of it has arrived, else twice the last capacity,
// never more than is kept.
func (f *Framer) grow(n int) {
	need := len(f.body) + n
	if need <= cap(f.body) {
		return
	}
	b := make([]byte, len(f.body), min(f.keep, max(need, 2*cap(f.body), firstBuffer)))
	copy(b, f.body)
	f.body = b
}

// take hands the finished message over and makes ready for the next.
func (f *Framer) take() Message {
	m := Message{Header: f.hdr, Body: f.body, Tail: f.tail}
	f.stage, f.headLen, f.body, f.tail = stageHeader, 0, nil, nil
	return m
}

// lose gives the stream up for good and keeps no buffer.
func (f *Framer) lose(why Lost) {
	f.stage, f.lost, f.headLen, f.body, f.tail = stageLost, why, 0, nil, nil
}
