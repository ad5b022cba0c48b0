package session

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// chunk is what one TCP segment adds to one direction of a connection.
type chunk struct {
	at     time.Time
	client layers.TCPPort
	dir    Direction
	data   []byte
}

// serverPorts are those of the servers the captures were made with.
var serverPorts = map[layers.TCPPort]bool{27117: true, 27118: true, 27017: true, 27018: true}

// readCapture reads a loopback capture: segments come in order, repeats are cut.
func readCapture(t testing.TB, name string) []chunk {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".pcap"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pcapgo.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	type direction struct{ from, to layers.TCPPort }
	next := map[direction]uint32{}
	var out []chunk
	for {
		data, info, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
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
			t.Fatalf("%s: a segment is missing", name)
		}
		if len(payload) == 0 {
			continue
		}
		next[d] += uint32(len(payload))
		c := chunk{at: info.Timestamp, client: tcp.SrcPort, dir: FromClient, data: payload}
		if serverPorts[tcp.SrcPort] {
			c.client, c.dir = tcp.DstPort, FromServer
		}
		out = append(out, c)
	}
}

// replay is a capture that went through sessions.
type replay struct {
	stats    *Stats
	pending  *Pending
	sessions map[layers.TCPPort]*Session
	ops      []*op.Operation
}

// play feeds a capture to one session per connection. emit may be nil.
func play(t testing.TB, chunks []chunk, emit func(*op.Operation)) *replay {
	t.Helper()
	r := &replay{stats: &Stats{}, pending: NewPending(1 << 20), sessions: map[layers.TCPPort]*Session{}}
	config := Config{
		Source: op.SourcePcap, Has: op.HasTraffic, Stats: r.stats,
		Cursors: NewCursors(100, r.stats), Pending: r.pending,
		Emit: func(o *op.Operation) {
			r.ops = append(r.ops, o)
			if emit != nil {
				emit(o)
			}
		},
	}
	framers := map[layers.TCPPort]*[2]wire.Framer{}
	var order []layers.TCPPort
	for _, c := range chunks {
		s := r.sessions[c.client]
		if s == nil {
			s = New(config, op.Conn{ID: uint64(len(r.sessions) + 1)})
			r.sessions[c.client], framers[c.client] = s, &[2]wire.Framer{{Limit: DefaultRequestLimit}, {Limit: DefaultReplyLimit}}
			order = append(order, c.client)
			r.stats.Connections.Add(1)
		}
		r.stats.Bytes[c.dir].Add(int64(len(c.data)))
		f := &framers[c.client][c.dir]
		for m, rest, ok := f.Next(c.data); ok; m, rest, ok = f.Next(rest) {
			r.stats.message(c.dir, m.OpCode)
			if c.dir == FromClient {
				s.Request(c.at, m)
			} else {
				s.Reply(c.at, m)
			}
		}
	}
	for _, port := range order {
		r.sessions[port].Close()
	}
	return r
}

// messages counts the framed messages of a direction.
func (r *replay) messages(d Direction) int64 {
	n := int64(0)
	for i := range r.stats.Messages[d] {
		n += r.stats.Messages[d][i].Load()
	}
	return n
}

// named are the operations of that command.
func (r *replay) named(command string) []*op.Operation {
	var out []*op.Operation
	for _, o := range r.ops {
		if o.Command == command {
			out = append(out, o)
		}
	}
	return out
}
