package pcap

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mongoadvisor/internal/op"
)

// TestDamage: of a capture that was cut, shuffled, doubled and thinned out at random no
// more is seen than there was, the rest still is, and what is missing is counted.
func TestDamage(t *testing.T) {
	for _, name := range []string{"plain.pcap", "mongoose.pcap", "np_getmore.pcap", "zstd.pcap"} {
		all := packets(t, name)
		truth := play(all, Config{})
		for seed := range uint64(150) {
			r := rand.New(rand.NewPCG(seed, 4))
			damaged := slices.Clone(all)
			lost := 0
			switch seed % 5 {
			case 0: // some lost
				damaged = slices.DeleteFunc(damaged, func(Packet) bool { return r.IntN(20) == 0 })
				lost = len(all) - len(damaged)
			case 1: // moved by a few places
				for i := 1; i < len(damaged); i += 1 + r.IntN(4) {
					damaged[i-1], damaged[i] = damaged[i], damaged[i-1]
				}
			case 2: // doubled, the second time a little later
				for i := 0; i < len(damaged); i += 1 + r.IntN(3) {
					damaged = slices.Insert(damaged, min(i+r.IntN(4), len(damaged)), damaged[i])
				}
			case 3: // the middle only
				from := r.IntN(len(damaged) / 2)
				damaged = damaged[from : from+len(damaged)/2]
				lost = len(all) - len(damaged)
			case 4: // a snap length
				for i := range damaged {
					damaged[i].Data = damaged[i].Data[:min(len(damaged[i].Data), 120+r.IntN(400))]
				}
				lost = len(all)
			}
			got := play(damaged, Config{})
			c := got.coverage
			if c.Messages > truth.coverage.Messages || c.Operations > truth.coverage.Operations || c.Connections > truth.coverage.Connections {
				t.Fatalf("%s seed %d: %d messages, %d operations, %d connections, there were %d, %d, %d", name, seed,
					c.Messages, c.Operations, c.Connections, truth.coverage.Messages, truth.coverage.Operations, truth.coverage.Connections)
			}
			if lost == 0 && (c.Messages != truth.coverage.Messages || c.Packets.Gaps > 0) {
				t.Fatalf("%s seed %d: %d of %d messages, %+v", name, seed, c.Messages, truth.coverage.Messages, *c.Packets)
			}
			if d := cmp.Diff(slices.Sorted(slices.Values(truth.ops)), slices.Sorted(slices.Values(got.ops))); lost == 0 && d != "" {
				t.Fatalf("%s seed %d: other operations than in order: %s", name, seed, d)
			}
			if seed%5 == 0 && c.Messages < truth.coverage.Messages-int64(3*lost)-3 {
				t.Fatalf("%s seed %d: %d of %d messages with %d packets lost", name, seed, c.Messages, truth.coverage.Messages, lost)
			}
			if seed%5 == 3 && c.Messages < truth.coverage.Messages/5 {
				t.Fatalf("%s seed %d: %d of %d messages in half of the packets", name, seed, c.Messages, truth.coverage.Messages)
			}
			if got.capture.held != 0 {
				t.Fatalf("%s seed %d: %d bytes are held at the end", name, seed, got.capture.held)
			}
		}
	}
}

// TestSnapLength: packets of which only the beginning was captured give the messages
// whose beginnings they are, without a search for them.
func TestSnapLength(t *testing.T) {
	all := packets(t, "np_insertloop.pcap")
	truth := play(all, Config{})
	for i := range all {
		all[i].Data = all[i].Data[:min(len(all[i].Data), 110)]
	}
	got := play(all, Config{})
	c := got.coverage
	if c.Messages != truth.coverage.Messages || c.Packets.Truncated == 0 || c.Packets.Resyncs > 0 || c.Packets.LostBytes == 0 {
		t.Errorf("%d of %d messages, %+v", c.Messages, truth.coverage.Messages, *c.Packets)
	}
	if c.Ratio > 0.9 {
		t.Errorf("%.2f of the traffic is said to be understood", c.Ratio)
	}
}

// TestMemoryOfManyConnections: connections that are opened and never closed are
// forgotten, the oldest first.
func TestMemoryOfManyConnections(t *testing.T) {
	all := packets(t, "plain.pcap")
	syn := all[0]
	syn.Data = append([]byte(nil), syn.Data...)
	capture := New(Config{Emit: func(*op.Operation) {}})
	lane := capture.Lane()
	for i := range 3 * maxConns {
		syn.Data[26], syn.Data[27], syn.Data[28] = byte(i>>16), byte(i>>8), byte(i)
		lane.Feed(&syn)
	}
	if n := len(lane.table.conns); n != maxConns {
		t.Errorf("%d connections are known, %d may be", n, maxConns)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 150<<20 {
		t.Errorf("%d MiB", m.HeapAlloc>>20)
	}
}

// TestMemoryOfUnfinishedMessages: connections that each begin a long message and never end
// it cost no more than all of them together may.
func TestMemoryOfUnfinishedMessages(t *testing.T) {
	capture := New(Config{Emit: func(*op.Operation) {}})
	lane := capture.Lane()
	begun := "\x00\x6c\xdc\x02\x01\x00\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00" + strings.Repeat("\x00", 40_000) // 48,000,000 bytes
	for i := range 6000 {
		for _, p := range conversationOn(27017, true, begun, "", begun) {
			p.Data[14], p.Data[15] = byte(i>>8), byte(i) // the sender's address: another connection each time
			lane.Feed(&p)
		}
	}
	if most := int64(maxPartial) + 6000*2*leastKept + 1<<20; capture.partial > most {
		t.Errorf("%d bytes are kept, at most %d may be", capture.partial, most)
	}
	capture.Close()
	if capture.partial != 0 {
		t.Errorf("%d bytes are kept at the end", capture.partial)
	}
}
