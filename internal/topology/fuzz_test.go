package topology

import (
	"bytes"
	"testing"
)

// mostHeld is the most that a direction may hold back, with the growth of append.
const mostHeld = 2*maxReply + 1<<20

// Whatever comes: no panic, however it is cut the same comes out, and where no
// name is known not a byte changes.
func fuzz(f *testing.F, fromClient bool) {
	client, server := mixed(f)
	f.Add(client, uint8(1))
	f.Add(server, uint8(7))
	for _, s := range streams(f) {
		f.Add(s[0][:min(len(s[0]), 2000)], uint8(16)) // short ones are searched faster
		f.Add(s[1][:min(len(s[1]), 2000)], uint8(100))
	}
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"), uint8(3))
	f.Add([]byte{0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3}, uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, size uint8) {
		run := func(m *Map, cut func(int) int) []byte {
			r := m.Rewriter(nil)
			if fromClient {
				return feedAll(r.Client, r.ClientEnd, b, cut)
			}
			r.Client(client)
			feed := func(b []byte) []byte {
				out := r.Server(b)
				if cap(r.server.held) > mostHeld {
					t.Fatalf("%d bytes are held", cap(r.server.held))
				}
				return out
			}
			return feedAll(feed, r.ServerEnd, b, cut)
		}
		chunk := func(left int) int { return min(left, int(size)+1) }
		m := threeMembers("127.0.0.1", nil)
		if !bytes.Equal(run(m, whole), run(threeMembers("127.0.0.1", nil), chunk)) {
			t.Error("the cut changes what comes out")
		}
		if m.Stats.Panics.Load() > 0 {
			t.Error("it panicked")
		}
		if got := run(NewMap(Config{}), chunk); !bytes.Equal(got, b) {
			t.Error("changed, with no name known")
		}
	})
}

func FuzzClient(f *testing.F) { fuzz(f, true) }

func FuzzServer(f *testing.F) { fuzz(f, false) }
