package pcap

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"

	"mongoadvisor/internal/corpus"
	"mongoadvisor/internal/op"
)

// FuzzFile reads anything as a capture file.
func FuzzFile(f *testing.F) {
	for name, path := range corpus.Own(f) {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if Is(b) {
			f.Add(b[:min(len(b), 900)])
			_ = name
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := NewFile(bytes.NewReader(b))
		if err != nil {
			return
		}
		capture := New(Config{Emit: func(*op.Operation) {}})
		lane := capture.Lane()
		for range 1000 {
			p, err := file.Next()
			if err != nil {
				break
			}
			lane.Feed(&p)
		}
		capture.Close()
		if capture.held != 0 {
			t.Errorf("%d bytes are held at the end", capture.held)
		}
	})
}

// FuzzSegments plays segments of one connection, whatever their numbers, flags and
// payloads.
func FuzzSegments(f *testing.F) {
	f.Add([]byte{0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 4, 'a', 'b', 'c', 'd', 1, 18, 0, 0, 0, 9, 0, 0, 0, 2, 0})
	f.Add(bytes.Repeat([]byte{1, 16, 0, 0, 1, 0, 0, 0, 0, 5, 30}, 20))
	frame := []byte{0x45, 0, 0, 0, 0, 0, 0, 0, 9, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2}
	f.Fuzz(func(t *testing.T, script []byte) {
		capture := New(Config{Emit: func(*op.Operation) {}})
		lane := capture.Lane()
		at := time.Unix(1, 0)
		for len(script) >= 11 {
			n := min(int(script[10]), len(script)-11)
			packet := append([]byte(nil), frame...)
			ports := []uint16{40000, 27017}
			if script[0]&1 == 1 {
				ports[0], ports[1] = ports[1], ports[0]
				packet[15], packet[19] = 2, 1
			}
			packet = binary.BigEndian.AppendUint16(packet, ports[0])
			packet = binary.BigEndian.AppendUint16(packet, ports[1])
			packet = append(packet, script[2:10]...)
			packet = append(packet, 0x50, script[1], 0, 0, 0, 0, 0, 0)
			packet = append(packet, script[11:11+n]...)
			declared := len(packet) + int(script[0]>>4)
			binary.BigEndian.PutUint16(packet[2:], uint16(declared))
			at = at.Add(time.Duration(script[0]) * time.Second)
			lane.Feed(&Packet{Time: at, Link: layers.LinkTypeRaw, Data: packet, Size: declared})
			script = script[11+n:]
		}
		capture.Close()
		if capture.held != 0 {
			t.Errorf("%d bytes are held at the end", capture.held)
		}
		if c := capture.Coverage(); c.Ratio < 0 || c.Ratio > 1 {
			t.Errorf("ratio %v", c.Ratio)
		}
	})
}
