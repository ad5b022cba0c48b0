package faults

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// cut is how and where a conversation ends: the one whose turn it is sends that
// many bytes of it and then no more.
type cut struct {
	turn, bytes int
	end         string
}

var ends = []string{"half-close", "close", "reset"}

// TestCutAtEveryByte ends a real conversation after each of its bytes, in each
// way. What arrives is what was sent up to there; a FIN arrives as a FIN, a reset
// as a reset; the other direction still works after a half-close; and nothing is
// left behind.
func TestCutAtEveryByte(t *testing.T) {
	turns := record(t)
	before := descriptors()
	a := newAnalysis()
	cuts := everyCut(turns)
	var done atomic.Int64
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			r := newRig(t, a, nil)
			defer r.end(t)
			for c := range cuts {
				if !t.Failed() {
					r.play(t, turns, c)
					done.Add(1)
				}
			}
		})
	}
	group.Wait()
	a.end(t)
	sameDescriptors(t, before)
	t.Logf("%d turns, %d cuts", len(turns), done.Load())
	if !t.Failed() && done.Load() < 3000 {
		t.Errorf("only %d cuts: what was recorded is too short", done.Load())
	}
}

// everyCut holds all of them, so that nobody waits for a worker that gave up.
func everyCut(turns []turn) <-chan cut {
	var all []cut
	for i, turn := range turns {
		for n := range len(turn.data) + 1 {
			for _, end := range ends {
				all = append(all, cut{i, n, end})
			}
		}
	}
	cuts := make(chan cut, len(all))
	for _, c := range all {
		cuts <- c
	}
	close(cuts)
	return cuts
}

// play has a conversation up to a cut. It reports with Errorf, for it runs beside
// others.
func (r *rig) play(t *testing.T, turns []turn, c cut) {
	client, server, tap := r.pair(t, r.address())
	defer client.Close()
	defer server.Close()
	var sent [2][]byte // by the client, by the server
	for _, x := range turns[:c.turn] {
		from, to := sides(client, server, x.client)
		if err := pass(from, to, x.data); err != nil {
			t.Errorf("before the cut: %v", err)
			return
		}
		sent[side(x.client)] = append(sent[side(x.client)], x.data...)
	}
	last := turns[c.turn]
	from, to := sides(client, server, last.client)
	if _, err := from.Write(last.data[:c.bytes]); err != nil {
		t.Errorf("%+v: %v", c, err)
	}
	sent[side(last.client)] = append(sent[side(last.client)], last.data[:c.bytes]...)
	arrived, answered := finish(t, c, from, to, last.data[:c.bytes])
	sent[side(!last.client)] = append(sent[side(!last.client)], answered...)
	client.Close()
	server.Close()
	select {
	case <-tap.closed:
	case <-time.After(guard):
		t.Errorf("%+v: the connection hangs", c)
		return
	}
	var saw [2][]byte
	saw[0], saw[1] = tap.all()
	i, lost := side(last.client), len(last.data[:c.bytes])-arrived // a reset may overtake bytes
	if !bytes.HasPrefix(sent[i], saw[i]) || len(saw[i]) < len(sent[i])-lost || c.end != "reset" && lost > 0 {
		t.Errorf("%+v: of %d bytes %d did not arrive, %d were seen", c, len(sent[i]), lost, len(saw[i]))
	}
	if !bytes.Equal(saw[1-i], sent[1-i]) {
		t.Errorf("%+v: %d bytes were sent the other way, %d seen", c, len(sent[1-i]), len(saw[1-i]))
	}
}

// finish ends a connection at from, and returns how much of want arrived at to
// and what to answered after a half-close.
func finish(t *testing.T, c cut, from, to *net.TCPConn, want []byte) (arrived int, answer []byte) {
	switch c.end {
	case "half-close":
		_ = from.CloseWrite()
	case "close":
		_ = from.Close()
	case "reset":
		reset(from)
	}
	got, err := io.ReadAll(to)
	if !bytes.HasPrefix(want, got) {
		t.Errorf("%+v: other bytes arrived than were sent", c)
	}
	if isReset := errors.Is(err, syscall.ECONNRESET); isReset != (c.end == "reset") || !isReset && err != nil {
		t.Errorf("%+v ends with %v", c, err)
	}
	if c.end != "half-close" {
		return len(got), nil
	}
	answer = []byte("an answer after the FIN")
	_, err = to.Write(answer)
	_ = to.CloseWrite()
	back, readErr := io.ReadAll(from)
	if err != nil || readErr != nil || !bytes.Equal(back, answer) {
		t.Errorf("%+v: the answer to a half-closed peer: %q, %v, %v", c, back, err, readErr)
	}
	return len(got), answer
}

func pass(from, to net.Conn, b []byte) error {
	if _, err := from.Write(b); err != nil {
		return err
	}
	got := make([]byte, len(b))
	if _, err := io.ReadFull(to, got); err != nil {
		return err
	}
	if !bytes.Equal(got, b) {
		return errors.New("other bytes arrived than were sent")
	}
	return nil
}

func sides(client, server *net.TCPConn, clientFirst bool) (from, to *net.TCPConn) {
	if clientFirst {
		return client, server
	}
	return server, client
}

func side(client bool) int {
	if client {
		return 0
	}
	return 1
}
