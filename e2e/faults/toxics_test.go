package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// toxic is a fault of the network.
type toxic struct {
	name   string
	bytes  int  // sent each way
	breaks bool // the stream does not survive it
	make   func(io.Writer) io.Writer
}

var toxics = []toxic{
	{"none", 4 << 20, false, func(w io.Writer) io.Writer { return w }},
	{"one byte at a time", 20_000, false, func(w io.Writer) io.Writer { return slicer{w, 1} }},
	{"seven bytes at a time", 100_000, false, func(w io.Writer) io.Writer { return slicer{w, 7} }},
	{"latency", 300_000, false, func(w io.Writer) io.Writer { return late{w, 20 * time.Millisecond} }},
	{"narrow", 50_000, false, func(w io.Writer) io.Writer { return slicer{late{w, time.Millisecond}, 500} }},
	{"reset", 300_000, true, func(w io.Writer) io.Writer { return &breaking{w, 100_001} }},
	{"reset at the first byte", 1000, true, func(w io.Writer) io.Writer { return &breaking{w, 1} }},
}

// TestToxics forwards through every fault, on each leg, in each direction.
func TestToxics(t *testing.T) {
	for _, x := range toxics {
		for _, clientLeg := range []bool{true, false} {
			for _, up := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/client leg %v/to the server %v", x.name, clientLeg, up), func(t *testing.T) {
					before := descriptors()
					a := newAnalysis()
					r, address, faulty := between(t, a, clientLeg, up, x.make)
					exchange(t, r, address, x)
					r.end(t)
					faulty.end()
					a.end(t)
					sameDescriptors(t, before)
				})
			}
		}
	}
}

// between puts a relay on one leg; clients connect to the address.
func between(t *testing.T, a *analysis, clientLeg, up bool, toxic func(io.Writer) io.Writer) (r *rig, address string, faulty *relay) {
	t.Helper()
	if clientLeg {
		r = newRig(t, a, nil)
		faulty = newRelay(t, r.address(), up, toxic)
		return r, faulty.address(), faulty
	}
	r = newRig(t, a, func(upstream string) string {
		faulty = newRelay(t, upstream, up, toxic)
		return faulty.address()
	})
	return r, r.address(), faulty
}

// exchange sends both ways at once until both have ended.
func exchange(t *testing.T, r *rig, address string, x toxic) {
	t.Helper()
	client, server, tap := r.pair(t, address)
	said := [2][]byte{noise(1, x.bytes), noise(2, x.bytes)}
	ends := [2]*outer{{conn: client, says: said[0]}, {conn: server, says: said[1]}}
	var group sync.WaitGroup
	for _, e := range ends {
		group.Go(func() { e.talk(false, false) })
	}
	group.Wait()
	client.Close()
	server.Close()
	<-tap.closed
	var saw [2][]byte
	saw[0], saw[1] = tap.all()
	for i, by := range [2]*outer{ends[1], ends[0]} { // who hears what the client said, and the other
		if !x.breaks {
			check(t, "a direction", by, said[i], saw[i], false)
			continue
		}
		if !bytes.HasPrefix(said[i], saw[i]) || !bytes.HasPrefix(said[i], by.heard) {
			t.Errorf("direction %d: other bytes came out than went in", i)
		}
		if by.err == nil && by.writeErr == nil && len(by.heard) < len(said[i]) {
			t.Errorf("direction %d: %d of %d bytes arrived, and a FIN: a cut stream looks finished", i, len(by.heard), len(said[i]))
		}
	}
}

// TestBlackHole: a direction in which nothing comes through for a while holds up
// neither the other one nor another connection, and all of it arrives afterwards.
func TestBlackHole(t *testing.T) {
	for _, clientLeg := range []bool{true, false} {
		for _, up := range []bool{true, false} {
			t.Run(fmt.Sprintf("client leg %v/to the server %v", clientLeg, up), func(t *testing.T) {
				before := descriptors()
				a := newAnalysis()
				open := make(chan struct{})
				r, address, faulty := between(t, a, clientLeg, up, func(w io.Writer) io.Writer { return hole{w, open} })
				client, server, tap := r.pair(t, address)
				from, to := sides(client, server, up)
				lost := noise(3, 8<<20) // more than the buffers on the way hold
				var group sync.WaitGroup
				group.Go(func() {
					if _, err := from.Write(lost); err != nil {
						t.Error(err)
					}
					_ = from.CloseWrite()
				})
				stalled(tap, up)
				if err := pass(to, from, noise(4, 1<<20)); err != nil {
					t.Errorf("the other direction: %v", err)
				}
				_ = to.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
				if n, err := to.Read(make([]byte, 1)); n != 0 || !isTimeout(err) {
					t.Errorf("%d bytes came out of the hole, %v", n, err)
				}
				_ = to.SetReadDeadline(time.Now().Add(guard))
				close(open)
				got, err := io.ReadAll(to)
				if err != nil || !bytes.Equal(got, lost) {
					t.Errorf("%d of %d bytes arrived, %v", len(got), len(lost), err)
				}
				group.Wait()
				client.Close()
				server.Close()
				<-tap.closed
				r.end(t)
				faulty.end()
				a.end(t)
				sameDescriptors(t, before)
			})
		}
	}
}

// stalled waits until nothing of a direction passes any more: then a write of it
// is stuck.
func stalled(tap *seen, up bool) {
	for last := -1; ; time.Sleep(100 * time.Millisecond) {
		b, server := tap.all()
		if !up {
			b = server
		}
		if len(b) == last {
			return
		}
		last = len(b)
	}
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
	return b
}
