package pcap

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/reassembly"
)

// recorder keeps what a stream delivers; '?' stands for each missing byte.
type recorder struct {
	got     []byte
	unknown int // gaps of which nobody knows the size
}

func (r *recorder) bytes(b []byte, _ time.Time) { r.got = append(r.got, b...) }

func (r *recorder) gap(n int, _ time.Time) {
	if n < 0 {
		r.unknown++
		return
	}
	r.got = append(r.got, bytes.Repeat([]byte{'?'}, n)...)
}

// text is a stream in which every place tells where it is.
func text(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + (i*7+i/26)%26)
	}
	return b
}

// cut makes segments of a stream: of random sizes, some twice with other borders, in
// an order that is wrong by a few places.
func cut(r *rand.Rand, b []byte, seq uint32, shuffle int) []piece {
	var out []piece
	for range 1 + r.IntN(2) {
		for at := 0; at < len(b); {
			n := min(1+r.IntN(1+r.IntN(300)), len(b)-at)
			out = append(out, piece{seq: seq + uint32(at), data: b[at : at+n]})
			at += n
		}
	}
	slices.SortStableFunc(out, func(a, b piece) int { return int(int32(a.seq - b.seq)) })
	for i := range out {
		j := min(i+r.IntN(1+shuffle), len(out)-1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}

func newStream(out sink, seq uint32) (*stream, *int64) {
	total := new(int64)
	s := &stream{out: out, total: total}
	s.start(seq)
	return s, total
}

// TestStreamInOrder: whatever the borders, the order and the repeats, a stream comes
// out as it was sent, also over the end of the numbers, and nothing is left behind.
func TestStreamInOrder(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		sent, seq := text(1+r.IntN(5000)), uint32(r.Uint64())
		if seed%3 == 0 {
			seq = ^uint32(0) - uint32(r.IntN(3000))
		}
		var out recorder
		s, total := newStream(&out, seq)
		for _, p := range cut(r, sent, seq, 12) {
			s.add(p)
		}
		if !bytes.Equal(out.got, sent) || out.unknown > 0 || len(s.held) > 0 || *total != 0 {
			t.Fatalf("seed %d: %d bytes of %d, %d pieces and %d bytes held", seed, len(out.got), len(sent), len(s.held), *total)
		}
	}
}

// TestStreamAgainstGopacket: without loss gopacket's reassembly delivers the same.
func TestStreamAgainstGopacket(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		sent, seq := text(1+r.IntN(4000)), uint32(r.Uint64())
		pieces := cut(r, sent, seq, 8)
		var out recorder
		s, _ := newStream(&out, seq)
		theirs := &theirStream{}
		assembler := reassembly.NewAssembler(reassembly.NewStreamPool(theirs))
		flow, _ := gopacket.FlowFromEndpoints(layers.NewIPEndpoint([]byte{10, 0, 0, 1}), layers.NewIPEndpoint([]byte{10, 0, 0, 2}))
		assembler.Assemble(flow, &layers.TCP{SrcPort: 1, DstPort: 2, SYN: true, Seq: seq - 1})
		for _, p := range pieces {
			s.add(p)
			assembler.Assemble(flow, &layers.TCP{SrcPort: 1, DstPort: 2, ACK: true, Seq: p.seq, BaseLayer: layers.BaseLayer{Payload: p.data}})
		}
		if !bytes.Equal(out.got, theirs.got) {
			t.Fatalf("seed %d: %d bytes, gopacket %d", seed, len(out.got), len(theirs.got))
		}
	}
}

type theirStream struct{ got []byte }

func (s *theirStream) New(_, _ gopacket.Flow, _ *layers.TCP, _ reassembly.AssemblerContext) reassembly.Stream {
	return s
}

func (s *theirStream) Accept(*layers.TCP, gopacket.CaptureInfo, reassembly.TCPFlowDirection, reassembly.Sequence, *bool, reassembly.AssemblerContext) bool {
	return true
}

func (s *theirStream) ReassembledSG(sg reassembly.ScatterGather, _ reassembly.AssemblerContext) {
	n, _ := sg.Lengths()
	s.got = append(s.got, sg.Fetch(n)...)
}

func (s *theirStream) ReassemblyComplete(reassembly.AssemblerContext) bool { return true }

// TestStreamWithLoss: what is lost is a gap of its size, where it was, and what was not
// lost comes out once.
func TestStreamWithLoss(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		sent, seq := text(200+r.IntN(6000)), uint32(r.Uint64())
		pieces := cut(r, sent, seq, 5)
		seen := make([]bool, len(sent))
		var out recorder
		s, total := newStream(&out, seq)
		for _, p := range pieces {
			if r.IntN(10) == 0 {
				continue
			}
			if r.IntN(10) == 0 { // cut by the snap length
				n := r.IntN(len(p.data) + 1)
				p.data, p.missing = p.data[:n], len(p.data)-n
			}
			for i := range p.data {
				seen[int(p.seq-seq)+i] = true
			}
			s.add(p)
		}
		s.finish(time.Time{})
		if out.unknown > 0 || len(s.held) > 0 || *total != 0 {
			t.Fatalf("seed %d: %d gaps of unknown size, %d held", seed, out.unknown, len(s.held))
		}
		for i, c := range out.got {
			if c != '?' && c != sent[i] || c != '?' && !seen[i] {
				t.Fatalf("seed %d: byte %d of %d is %q, was %q", seed, i, len(sent), c, sent[i])
			}
		}
	}
}

// TestAcknowledgedHole: a hole that the receiver has acknowledged is not waited for,
// once a few packets have passed; one that it has not is.
func TestAcknowledgedHole(t *testing.T) {
	for _, acknowledged := range []bool{true, false} {
		var out recorder
		s, _ := newStream(&out, 100)
		at := time.Unix(1000, 0)
		s.add(piece{seq: 150, data: text(50), at: at})
		if acknowledged {
			s.acknowledged(200)
		}
		for range holePackets {
			s.tick(at)
		}
		if len(out.got) != 0 {
			t.Fatal("a hole that may still be filled was given up")
		}
		s.tick(at)
		if (len(out.got) > 0) != acknowledged {
			t.Errorf("acknowledged %v: %d bytes delivered", acknowledged, len(out.got))
		}
		s.tick(at.Add(holeAge + 1))
		if len(out.got) != 100 || !bytes.Equal(out.got[:50], bytes.Repeat([]byte{'?'}, 50)) {
			t.Errorf("%q", out.got)
		}
	}
}

// TestStreamBounds: what waits behind a hole is limited, for a stream and for all.
func TestStreamBounds(t *testing.T) {
	var out recorder
	s, total := newStream(&out, 0)
	chunk := make([]byte, 1400)
	for i := range uint32(4000) {
		s.add(piece{seq: 1000 + i*1400, data: chunk})
		if s.bytes > maxHeld+2*len(chunk)+200 {
			t.Fatalf("%d bytes held", s.bytes)
		}
	}
	if len(out.got) == 0 {
		t.Error("nothing was delivered")
	}
	s.drop()
	if *total != 0 {
		t.Errorf("%d bytes left", *total)
	}
	var other recorder
	o := &stream{out: &other, total: total}
	o.start(0)
	*total = maxHeldTotal
	o.add(piece{seq: 10, data: chunk})
	if len(other.got) == 0 {
		t.Error("a stream waits although all together hold as much as they may")
	}
}

// TestStreamTakenUpElsewhere: numbers far away are those of another connection.
func TestStreamTakenUpElsewhere(t *testing.T) {
	for _, far := range []uint32{1 << 28, 0xF0000000} {
		var out recorder
		s, _ := newStream(&out, 1000)
		s.add(piece{seq: 1000, data: []byte("ab")})
		s.add(piece{seq: 1000 + far, data: []byte("cd")})
		s.add(piece{seq: 1002 + far, data: []byte("ef")})
		if string(out.got) != "abcdef" || out.unknown != 1 {
			t.Errorf("%x: %q, %d gaps", far, out.got, out.unknown)
		}
	}
	var out recorder
	s, _ := newStream(&out, 20_000_000)
	s.add(piece{seq: 20_000_000, data: []byte("ab")})
	for i := range uint32(5000) { // the numbers begin again a little lower
		s.add(piece{seq: 1_000_000 + i*1000, data: make([]byte, 1000)})
	}
	if out.unknown != 1 || len(out.got) < 500_000 {
		t.Errorf("%d bytes, %d gaps", len(out.got), out.unknown)
	}
}

// TestStreamOfSmallPieces: large pieces behind many small ones do not wait beyond the
// bounds, and there are never many of them.
func TestStreamOfSmallPieces(t *testing.T) {
	s, total := newStream(&recorder{}, 0)
	seq := uint32(1)
	for _, size := range []int{1, 40_000} {
		for range 2*maxPieces/size + 100 {
			s.add(piece{seq: seq, data: make([]byte, size)})
			seq += uint32(size) + 1
			if s.bytes > maxHeld || len(s.held) > maxPieces || int64(s.bytes) != *total {
				t.Fatalf("%d bytes in %d pieces wait, %d in all", s.bytes, len(s.held), *total)
			}
		}
	}
}
