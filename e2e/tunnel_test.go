package e2e

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"

	"mongoadvisor/internal/corpus"
)

// sendTunnelled sends the packets of a capture as a mirror does that puts them into
// VXLAN: each frame behind eight bytes, in a datagram.
func sendTunnelled(t *testing.T, to string) {
	t.Helper()
	f, err := os.Open(corpus.Own(t)["plain.pcap"])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pcapgo.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	tunnel, err := net.Dial("udp", to)
	if err != nil {
		t.Fatal(err)
	}
	defer tunnel.Close()
	for {
		frame, _, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		// nobody listens on the port: the second datagram is told so
		if _, err := tunnel.Write(append([]byte{8, 0, 0, 0, 0, 0, 7, 0}, frame...)); err != nil {
			_, _ = tunnel.Write(append([]byte{8, 0, 0, 0, 0, 0, 7, 0}, frame...))
		}
	}
}
