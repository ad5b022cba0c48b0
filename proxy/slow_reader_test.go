package proxy

import (
	"bytes"
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// A reader that does not read holds up the sender, through the proxy, and the
// proxy keeps no more than the one chunk that it could not write.
func TestSlowReaderHoldsUpSender(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})
	client, server := pair(t, s, u)
	for _, tt := range []struct {
		name     string
		from, to *net.TCPConn
	}{{"server sends", server, client}, {"client sends", client, server}} {
		t.Run(tt.name, func(t *testing.T) {
			block := noise(9, 64<<10)
			const blocks = 4096 // 256 MiB: more than all socket buffers together
			var sent atomic.Int64
			done := make(chan error, 1)
			before := heap()
			go func() {
				for range blocks {
					if _, err := tt.from.Write(block); err != nil {
						done <- err
						return
					}
					sent.Add(1)
				}
				done <- nil
			}()
			held := int64(-1)
			eventually(t, "the sender is held up", func() bool {
				last := held
				held = sent.Load()
				time.Sleep(200 * time.Millisecond)
				return held == last && held == sent.Load()
			})
			if held == blocks {
				t.Fatal("the sender was not held up")
			}
			if grown := heap() - before; grown > 1<<20 {
				t.Errorf("the heap grew by %d KiB behind a slow reader", grown>>10)
			}
			t.Logf("held up after %d KiB", held*64)

			got := make([]byte, len(block))
			for range blocks {
				if _, err := io.ReadFull(tt.to, got); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, block) {
					t.Fatal("other bytes arrived than were sent")
				}
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		})
	}
}

// heap is what is live, in bytes.
func heap() int64 {
	runtime.GC()
	runtime.GC() // the second one empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
