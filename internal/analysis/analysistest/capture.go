package analysistest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/store"
	"mongoadvisor/wire"
)

// Segment is what one TCP segment of a capture adds to one direction of a
// connection.
type Segment struct {
	At     time.Time
	Client uint16 // its port
	Server bool   // sent by the server
	Data   []byte
}

// serverPorts are those of the servers the captures were made with.
var serverPorts = map[layers.TCPPort]bool{27117: true, 27118: true, 27017: true, 27018: true}

// ReadCapture reads a loopback capture, whose segments come in order; repeats are
// cut.
func ReadCapture(path string) ([]Segment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := pcapgo.NewReader(f)
	if err != nil {
		return nil, err
	}
	type direction struct{ from, to layers.TCPPort }
	next := map[direction]uint32{}
	var out []Segment
	for {
		data, info, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		tcp, ok := gopacket.NewPacket(data, r.LinkType(), gopacket.NoCopy).Layer(layers.LayerTypeTCP).(*layers.TCP)
		if !ok {
			continue
		}
		d := direction{tcp.SrcPort, tcp.DstPort}
		if tcp.SYN {
			next[d] = tcp.Seq + 1
			continue
		}
		payload := tcp.Payload
		if seen := int32(next[d] - tcp.Seq); seen > 0 {
			payload = payload[min(int(seen), len(payload)):]
		} else if seen < 0 && len(payload) > 0 {
			return nil, fmt.Errorf("%s: a segment is missing", path)
		}
		if len(payload) == 0 {
			continue
		}
		next[d] += uint32(len(payload))
		s := Segment{At: info.Timestamp, Client: uint16(tcp.SrcPort), Data: payload}
		if serverPorts[tcp.SrcPort] {
			s.Client, s.Server = uint16(tcp.DstPort), true
		}
		out = append(out, s)
	}
}

// PlayCapture sends the segments through session and engine, under the ci
// profile; limits are as in a data file.
func PlayCapture(segments []Segment, rules []*analysis.Analyzer, limits ...string) ([]store.Entry, error) {
	inForce, err := engine.ParseLimits(rules, limits)
	if err != nil {
		return nil, err
	}
	st := store.New(store.Config{Profile: store.CI})
	eng := engine.New(engine.Config{Rules: rules, Limits: inForce, Recorder: st})
	stats := &session.Stats{}
	config := session.Config{
		Source: op.SourcePcap, Has: op.HasTraffic, Stats: stats,
		Cursors: session.NewCursors(1000, stats), Pending: session.NewPending(1 << 20), Emit: eng.Judge,
	}
	type connection struct {
		session *session.Session
		framers [2]wire.Framer
	}
	open := map[uint16]*connection{}
	for _, s := range segments {
		c := open[s.Client]
		if c == nil {
			c = &connection{
				session: session.New(config, op.Conn{ID: uint64(len(open) + 1), Client: fmt.Sprintf("192.0.2.1:%d", s.Client)}),
				framers: [2]wire.Framer{{Limit: session.DefaultRequestLimit}, {Limit: session.DefaultReplyLimit}},
			}
			open[s.Client] = c
		}
		f, take := &c.framers[0], c.session.Request
		if s.Server {
			f, take = &c.framers[1], c.session.Reply
		}
		for m, rest, ok := f.Next(s.Data); ok; m, rest, ok = f.Next(rest) {
			take(s.At, m)
		}
	}
	for _, s := range eng.Stats() {
		if n := s.Panics.Load(); n > 0 {
			return nil, fmt.Errorf("rule %s panicked %d times", s.ID, n)
		}
	}
	return st.Findings(), nil
}
