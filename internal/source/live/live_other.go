//go:build !linux

package live

import (
	"errors"

	"mongoadvisor/internal/source/pcap"
)

// Any is the name that stands for all interfaces.
const Any = "any"

// Config says what is captured.
type Config struct {
	Interface      string
	Ports, Tunnels []uint16
	Buffer         int
	Promiscuous    bool
}

// Handle reads packets: not on this system.
type Handle struct{}

// ErrTimeout says that no packet came for a while.
var ErrTimeout = errors.New("timeout")

var errSystem = errors.New("live capture is for Linux; elsewhere: tcpdump -w - port 27017 | mongoadvisor analyze -")

// Open fails.
func Open(Config) (*Handle, error) { return nil, errSystem }

// Next fails.
func (*Handle) Next() (pcap.Packet, error) { return pcap.Packet{}, errSystem }

// Drops is 0.
func (*Handle) Drops() int64 { return 0 }

// Close does nothing.
func (*Handle) Close() {}
