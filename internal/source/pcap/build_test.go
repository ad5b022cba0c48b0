package pcap

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"mongoadvisor/internal/corpus"
	"mongoadvisor/internal/op"
)

// packets are those of one of our captures, their data copied.
func packets(t testing.TB, name string) []Packet {
	t.Helper()
	f, err := os.Open(corpus.Own(t)[name])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := NewFile(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []Packet
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		p.Data = append([]byte(nil), p.Data...)
		out = append(out, p)
	}
}

// played is what became of packets.
type played struct {
	ops      []string // what rules see of them
	coverage op.Coverage
	capture  *Capture
}

func play(all []Packet, c Config) played {
	var p played
	c.Emit = func(o *op.Operation) { p.ops = append(p.ops, describe(o)) }
	p.capture = New(c)
	lane := p.capture.Lane()
	for i := range all {
		lane.Feed(&all[i])
	}
	p.capture.Close()
	p.coverage = p.capture.Coverage()
	return p
}

func describe(o *op.Operation) string {
	return fmt.Sprintf("%s %s %s %s %d statements, app %q, from %s to %s, after %s: %v %d returned %d %d bytes", o.Time.UTC().Format(time.RFC3339Nano), o.Command, o.NS,
		o.Shape().Text, len(o.Statements()), o.Conn.App, o.Conn.Client, o.Conn.Server, o.Latency, o.Reply.OK, o.Reply.Code, o.Reply.Returned, o.Reply.Bytes)
}
