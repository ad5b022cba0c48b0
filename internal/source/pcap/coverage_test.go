package pcap

import (
	"strings"
	"testing"

	"github.com/gopacket/gopacket/layers"
)

// conversationOn is a connection on a port: each text one segment, of the client and
// the server in turns.
func conversationOn(port uint16, syn bool, texts ...string) []Packet {
	var out []Packet
	seq := [2]uint32{100, 900}
	packet := func(side int, flags byte, payload string) {
		ip := []byte{0x45, 0, 0, 0, 0, 0, 0, 0, 9, 6, 0, 0, 10, 0, 0, byte(1 + side), 10, 0, 0, byte(2 - side)}
		from, to := uint16(40000), port
		if side == 1 {
			from, to = to, from
		}
		n := seq[side]
		b := append(ip, byte(from>>8), byte(from), byte(to>>8), byte(to), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
		a := seq[1-side]
		b = append(b, byte(a>>24), byte(a>>16), byte(a>>8), byte(a), 0x50, flags, 0, 0, 0, 0, 0, 0)
		b = append(b, payload...)
		b[2], b[3] = byte(len(b)>>8), byte(len(b))
		out = append(out, Packet{Link: layers.LinkTypeRaw, Data: b, Size: len(b)})
		seq[side] += uint32(len(payload))
	}
	if syn {
		packet(0, 2, "")
		seq[0]++
		packet(1, 18, "")
		seq[1]++
	}
	for i, text := range texts {
		packet(i%2, 16, text)
	}
	return out
}

// TestWhyNothing: when there is no message in a capture, the likely reason is named.
func TestWhyNothing(t *testing.T) {
	hello := "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("x", 300)
	record := "\x17\x03\x03\x01\x00" + strings.Repeat("\xaa", 300)
	for name, tt := range map[string]struct {
		packets []Packet
		config  Config
		want    string
	}{
		"nothing":                     {nil, Config{}, "holds no packets"},
		"TLS":                         {conversationOn(27017, true, hello, record), Config{}, "that are TLS: 1;"},
		"TLS from its middle":         {conversationOn(27017, false, record, record, record, record), Config{}, "that are TLS: 1;"},
		"TLS on another port":         {conversationOn(443, true, hello, record), Config{}, "that are TLS: 1;"},
		"another protocol":            {conversationOn(5432, true, strings.Repeat("select ", 9), "row"), Config{}, "on the ports 5432;"},
		"a port nobody asked for":     {conversationOn(27017, true, strings.Repeat("select ", 9), "row"), Config{Ports: []uint16{9}}, "on the ports 27017;"},
		"HTTP on the port of MongoDB": {conversationOn(27017, true, "GET / HTTP/1.1\r\nHost: db\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n"), Config{}, "can be read as MongoDB's protocol"},
		"handshakes only":             {conversationOn(27017, true), Config{}, "no TCP payload"},
	} {
		got := play(tt.packets, tt.config)
		if why := got.capture.Why(); !strings.Contains(why, tt.want) {
			t.Errorf("%s: %q, want %q", name, why, tt.want)
		}
		if c := got.coverage; c.Messages != 0 || c.Operations != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestUnreadableIsCounted: bytes that cannot be read lower the coverage.
func TestUnreadableIsCounted(t *testing.T) {
	record := "\x17\x03\x03\x01\x00" + strings.Repeat("\xaa", 3000)
	all := append(packets(t, "plain.pcap"), conversationOn(27017, false, record, record, record)...)
	c := play(all, Config{}).coverage
	if c.ConnectionsUninspected != 1 || c.BytesUninspected < 8000 || c.Ratio > 0.95 {
		t.Errorf("%+v", c)
	}
}

// TestAddressesUsedAgain: a new connection with the addresses of one whose end was not
// captured is another one.
func TestAddressesUsedAgain(t *testing.T) {
	all := packets(t, "np_insertloop.pcap")
	open := all[:len(all)*9/10] // no FIN
	again := make([]Packet, 0, len(all))
	for _, p := range all {
		p.Data = append([]byte(nil), p.Data...)
		p.Data[38] ^= 0x40 // other numbers, in both directions
		p.Data[42] ^= 0x40
		again = append(again, p)
	}
	one, first := play(all, Config{}).coverage, play(open, Config{}).coverage
	got := play(append(append([]Packet(nil), open...), again...), Config{}).coverage
	if got.Messages != first.Messages+one.Messages || got.Connections != first.Connections+one.Connections {
		t.Errorf("%d messages on %d connections, want %d on %d", got.Messages, got.Connections, first.Messages+one.Messages, first.Connections+one.Connections)
	}
}
