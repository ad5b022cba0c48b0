package pcap

import "time"

// Bounds of the reassembly.
const (
	// maxHeld is how many bytes of one direction wait for a hole before them to be
	// filled; a fast connection has a few hundred KiB under way.
	maxHeld = 1 << 20
	// maxPieces is how many pieces they are: each that comes is put in its place
	// among them.
	maxPieces = 4096
	// maxHeldTotal is how many of all connections.
	maxHeldTotal = 32 << 20
	// maxJump is the most that a segment can be ahead of, or behind, what is expected:
	// more means another connection with the same addresses.
	maxJump = 64 << 20
	// holePackets is how many packets of its connection a hole outlives that the
	// other side has acknowledged: captures swap packets that are close together.
	holePackets = 16
	// holeAge is how long a hole may stay that nobody has acknowledged.
	holeAge = 30 * time.Second
	// maxStale is how many bytes in a row may be repeats of what was delivered.
	maxStale = 4 << 20
)

// piece is a part of a stream: bytes that were captured, and behind them bytes that
// were sent and were not.
type piece struct {
	seq     uint32
	data    []byte
	missing int
	at      time.Time
}

func (p *piece) end() uint32 { return p.seq + uint32(len(p.data)+p.missing) }

// trim cuts off what lies before seq. It reports whether anything is left.
func (p *piece) trim(seq uint32) bool {
	d := int(int32(seq - p.seq))
	if d <= 0 {
		return len(p.data)+p.missing > 0
	}
	if d >= len(p.data)+p.missing {
		return false
	}
	p.seq = seq
	if d <= len(p.data) {
		p.data = p.data[d:]
	} else {
		p.missing -= d - len(p.data)
		p.data = nil
	}
	return true
}

// sink takes a stream in order.
type sink interface {
	// bytes are valid during the call.
	bytes(b []byte, at time.Time)
	// gap says that n bytes are missing; n < 0 when nobody knows how many.
	gap(n int, at time.Time)
}

// stream puts one direction of a connection in order. What arrived twice is
// delivered once. A hole that will not be filled becomes a gap: the receiver has
// acknowledged what stands in it, so that only the capture lost it, or too much
// waits behind it, or it is old.
type stream struct {
	out     sink
	total   *int64 // bytes held by all streams
	started bool
	first   uint32 // sequence number it was started with
	next    uint32 // sequence number of the byte to come
	held    []piece
	bytes   int    // of held
	acked   uint32 // by the other side
	hasAck  bool
	since   int // packets of the connection since the hole
	stale   int
	fin     uint32
	hasFin  bool
}

// start says where the stream begins.
func (s *stream) start(seq uint32) { s.started, s.first, s.next = true, seq, seq }

// add takes a piece, of which it copies what it must keep.
func (s *stream) add(p piece) {
	ahead := int32(p.seq - s.next)
	if ahead > maxJump || ahead < -maxJump {
		s.restart(p)
		return
	}
	if int32(p.end()-s.next) <= 0 {
		if s.stale += len(p.data); s.stale > maxStale {
			s.restart(p)
		}
		return
	}
	s.stale = 0
	if ahead <= 0 {
		s.deliver(p)
		s.drain()
		return
	}
	s.hold(p)
	for len(s.held) > 0 && (s.bytes > maxHeld || len(s.held) > maxPieces || *s.total > maxHeldTotal) {
		s.giveUp(p.at)
	}
}

// restart takes the stream up at another place.
func (s *stream) restart(p piece) {
	s.drop()
	s.out.gap(-1, p.at)
	s.next, s.hasFin, s.stale = p.seq, false, 0
	s.deliver(p)
}

func (s *stream) deliver(p piece) {
	if !p.trim(s.next) {
		return
	}
	if len(p.data) > 0 {
		s.out.bytes(p.data, p.at)
	}
	if p.missing > 0 {
		s.out.gap(p.missing, p.at)
	}
	s.next = p.end()
}

// hold keeps what of a piece is ahead and not there yet, in order: what came first
// stays.
func (s *stream) hold(p piece) {
	if len(s.held) == 0 {
		s.since = 0
	}
	i := len(s.held)
	for i > 0 && int32(s.held[i-1].end()-p.seq) > 0 {
		i--
	}
	for ; i < len(s.held); i++ {
		next := &s.held[i]
		if int32(p.end()-next.seq) <= 0 {
			break
		}
		end := next.end()
		if int32(next.seq-p.seq) > 0 {
			s.insert(i, head(p, next.seq))
			i++
		}
		if !p.trim(end) {
			return
		}
	}
	s.insert(i, p)
}

// insert keeps a copy of a piece as number i.
func (s *stream) insert(i int, p piece) {
	p.data = append([]byte(nil), p.data...)
	s.held = append(s.held, piece{})
	copy(s.held[i+1:], s.held[i:])
	s.held[i] = p
	s.count(pieceSize(&p))
}

// head is what of a piece lies before seq.
func head(p piece, seq uint32) piece {
	n := int(int32(seq - p.seq))
	if n <= len(p.data) {
		p.data, p.missing = p.data[:n], 0
	} else {
		p.missing = n - len(p.data)
	}
	return p
}

// pieceSize is what a held piece costs.
func pieceSize(p *piece) int { return cap(p.data) + 64 }

func (s *stream) count(n int) {
	s.bytes += n
	*s.total += int64(n)
}

// drain delivers what is in order now.
func (s *stream) drain() {
	for len(s.held) > 0 && int32(s.held[0].seq-s.next) <= 0 {
		p := s.held[0]
		s.count(-pieceSize(&p))
		s.held[0] = piece{}
		s.held = s.held[1:]
		s.deliver(p)
	}
	if len(s.held) == 0 {
		s.held = nil
	}
	s.since = 0
}

// giveUp makes the first hole a gap.
func (s *stream) giveUp(at time.Time) {
	if len(s.held) == 0 {
		return
	}
	n := int(int32(s.held[0].seq - s.next))
	s.out.gap(n, at)
	s.next += uint32(n)
	s.drain()
}

// drop forgets what is held.
func (s *stream) drop() {
	for i := range s.held {
		s.count(-pieceSize(&s.held[i]))
	}
	s.held = nil
}

// acknowledged notes what the other side has received.
func (s *stream) acknowledged(ack uint32) {
	if !s.hasAck || int32(ack-s.acked) > 0 {
		s.acked, s.hasAck = ack, true
	}
}

// tick is called with each packet of the connection, of either side. It looks whether
// a hole is to be given up.
func (s *stream) tick(now time.Time) {
	if len(s.held) == 0 {
		return
	}
	s.since++
	lost := s.hasAck && int32(s.acked-s.held[0].seq) >= 0 && s.since > holePackets
	if lost || now.Sub(s.held[0].at) > holeAge {
		s.giveUp(now)
	}
}

// finish delivers all there is, holes as gaps.
func (s *stream) finish(at time.Time) {
	for len(s.held) > 0 {
		s.giveUp(at)
	}
}

// ended tells whether the stream was read to its FIN.
func (s *stream) ended() bool { return s.hasFin && s.started && int32(s.next-s.fin) >= 0 }
