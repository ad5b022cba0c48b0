package live

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gopacket/gopacket/afpacket"
	"github.com/gopacket/gopacket/layers"

	"mongoadvisor/internal/source/pcap"
)

// Any is the name that stands for all interfaces.
const Any = "any"

// Config says what is captured.
type Config struct {
	Interface string // "eth0", or Any
	Ports     []uint16
	Tunnels   []uint16 // UDP ports of VXLAN
	Buffer    int      // bytes of the ring the kernel writes into
	// Promiscuous takes packets for other machines, too: those of a mirror port.
	Promiscuous bool
}

// The ring's blocks: the kernel hands them on when they are full, or after a while.
const (
	blockSize    = 1 << 20
	frameSize    = 1 << 11
	blockTimeout = 20 * time.Millisecond
	pollTimeout  = 100 * time.Millisecond
)

// Handle reads packets. Next is for one goroutine, and so is Drops.
type Handle struct {
	packets *afpacket.TPacket
	link    layers.LinkType
	dropped int64
}

// ErrTimeout says that no packet came for a while.
var ErrTimeout = afpacket.ErrTimeout

// Open starts to capture. It needs the capability CAP_NET_RAW, nothing after it does.
func Open(c Config) (*Handle, error) {
	link, loopback, err := linkOf(c.Interface)
	if err != nil {
		return nil, err
	}
	filter, err := Filter(c.Ports, c.Tunnels, link == layers.LinkTypeEthernet, loopback)
	if err != nil {
		return nil, err
	}
	options := []any{
		afpacket.OptFrameSize(frameSize), afpacket.OptBlockSize(blockSize), afpacket.OptNumBlocks(max(c.Buffer/blockSize, 2)),
		afpacket.OptBlockTimeout(blockTimeout), afpacket.OptPollTimeout(pollTimeout), afpacket.TPacketVersion3, afpacket.OptAddVLANHeader(link == layers.LinkTypeEthernet),
	}
	if c.Interface != Any {
		options = append(options, afpacket.OptInterface(c.Interface))
	}
	p, err := afpacket.NewTPacket(options...)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("capturing on %s: %w: it needs the capability CAP_NET_RAW; run as root, or once: setcap cap_net_raw=ep %s", c.Interface, err, executable())
	}
	if err != nil {
		return nil, fmt.Errorf("capturing on %s: %w", c.Interface, err)
	}
	if err := p.SetBPF(filter); err != nil {
		p.Close()
		return nil, fmt.Errorf("capturing on %s: filter: %w", c.Interface, err)
	}
	if c.Promiscuous && c.Interface != Any && !loopback {
		if err := p.SetPromiscuous(true); err != nil {
			p.Close()
			return nil, fmt.Errorf("capturing on %s: promiscuous: %w", c.Interface, err)
		}
	}
	if err := p.InitSocketStats(); err != nil {
		p.Close()
		return nil, fmt.Errorf("capturing on %s: counters: %w", c.Interface, err)
	}
	return &Handle{packets: p, link: link}, nil
}

func executable() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	return "mongoadvisor"
}

// Hardware types of if_arp.h.
const (
	hardwareEthernet = 1
	hardwareLoopback = 772
	hardwareNone     = 0xfffe // tunnels: packets begin with IP
)

// linkOf is what packets of an interface begin with.
func linkOf(name string) (link layers.LinkType, loopback bool, err error) {
	if name == Any {
		return layers.LinkTypeEthernet, false, nil
	}
	i, err := net.InterfaceByName(name)
	if err != nil {
		return 0, false, fmt.Errorf("interface %q: not there; there are %s, and any", name, strings.Join(interfaces(), ", "))
	}
	if i.Flags&net.FlagUp == 0 {
		return 0, false, fmt.Errorf("interface %s is down", name)
	}
	raw, err := os.ReadFile(filepath.Join("/sys/class/net", name, "type"))
	if err != nil { // no sysfs: a container
		return layers.LinkTypeEthernet, i.Flags&net.FlagLoopback != 0, nil
	}
	switch kind, _ := strconv.Atoi(strings.TrimSpace(string(raw))); kind {
	case hardwareEthernet, hardwareLoopback:
		return layers.LinkTypeEthernet, kind == hardwareLoopback, nil
	case hardwareNone:
		return layers.LinkTypeRaw, false, nil
	default:
		return 0, false, fmt.Errorf("interface %s: packets of hardware type %d are not known", name, kind)
	}
}

func interfaces() []string {
	all, _ := net.Interfaces()
	var out []string
	for _, i := range all {
		out = append(out, i.Name)
	}
	return out
}

// Next reads a packet; its data is valid until the next call. The error is ErrTimeout
// when none came for a while.
func (h *Handle) Next() (pcap.Packet, error) {
	data, info, err := h.packets.ZeroCopyReadPacketData()
	if err != nil {
		return pcap.Packet{}, err
	}
	return pcap.Packet{Time: info.Timestamp, Link: h.link, Data: data, Size: info.Length}, nil
}

// Drops is how many packets the kernel has dropped since the last call, for want of
// room in the ring.
func (h *Handle) Drops() int64 {
	_, s, err := h.packets.SocketStats()
	if err != nil {
		return 0
	}
	d := int64(s.Drops()) - h.dropped
	h.dropped += d
	return d
}

// Close ends the capture.
func (h *Handle) Close() { h.packets.Close() }
