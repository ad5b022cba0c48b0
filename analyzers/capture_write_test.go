package analyzers_test

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/store"
	"mongoadvisor/wire"
)

// segments yields what the TCP segments of a loopback capture carry, in order.
func segments(t *testing.T, path string, each func(at time.Time, tcp *layers.TCP)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r, err := pcapgo.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for {
		data, info, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		tcp, ok := gopacket.NewPacket(data, r.LinkType(), gopacket.NoCopy).Layer(layers.LayerTypeTCP).(*layers.TCP)
		if ok && len(tcp.Payload) > 0 {
			each(info.Timestamp, tcp)
		}
	}
}

// A driver's loop of 25 inserts is one burst, and nothing else.
func TestInsertLoopOfACapture(t *testing.T) {
	st := store.New(store.Config{Profile: store.CI})
	eng := engine.New(engine.Config{Rules: analyzers.All(), Recorder: st})
	stats := &session.Stats{}
	config := session.Config{
		Source: op.SourcePcap, Has: op.HasTraffic, Stats: stats,
		Cursors: session.NewCursors(100, stats), Pending: session.NewPending(1 << 20), Emit: eng.Judge,
	}
	conns := map[layers.TCPPort]*session.Session{}
	framers := map[[2]layers.TCPPort]*wire.Framer{}
	segments(t, "../internal/session/testdata/np_insertloop.pcap", func(at time.Time, tcp *layers.TCP) {
		client := max(tcp.SrcPort, tcp.DstPort) // ephemeral ports are above the server's
		if conns[client] == nil {
			conns[client] = session.New(config, op.Conn{ID: uint64(len(conns) + 1)})
		}
		direction := [2]layers.TCPPort{tcp.SrcPort, tcp.DstPort}
		f := framers[direction]
		if f == nil {
			f = &wire.Framer{}
			framers[direction] = f
		}
		for m, rest, ok := f.Next(tcp.Payload); ok; m, rest, ok = f.Next(rest) {
			if tcp.SrcPort == client {
				conns[client].Request(at, m)
			} else {
				conns[client].Reply(at, m)
			}
		}
	})
	bursts := int64(0)
	for _, e := range st.Findings() {
		if e.Rule != "W05" || e.Reason != "inserts" {
			t.Errorf("%s %s on %s, %d times", e.Rule, e.Reason, e.Namespace, e.Count)
			continue
		}
		bursts += e.Count
	}
	if bursts != 1 {
		t.Errorf("%d bursts of inserts", bursts)
	}
}
