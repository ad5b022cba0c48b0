package pcap

import (
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// segment is a TCP segment out of its layers.
type segment struct {
	from, to endpoint
	seq, ack uint32
	flags    flags
	payload  []byte // aliases the packet
	missing  int    // bytes of the payload that were sent and not captured, behind those that were
}

type flags uint8

const (
	flagSYN flags = 1 << iota
	flagACK
	flagFIN
	flagRST
)

// endpoint is an address and a port. IPv4 is mapped into IPv6.
type endpoint struct {
	ip   [16]byte
	port uint16
}

// String is "10.0.0.1:27017".
func (e endpoint) String() string {
	return netip.AddrPortFrom(netip.AddrFrom16(e.ip).Unmap(), e.port).String()
}

// SkipReasons are the reasons a packet was left out, as Coverage names them.
var SkipReasons = [...]string{skipLink, skipNotTCP, skipFragment, skipMalformed, skipDepth}

const (
	skipLink      = "link-type" // of which the layers are not known
	skipNotTCP    = "not-tcp"
	skipFragment  = "fragment"  // of an IP packet
	skipMalformed = "malformed" // or cut inside its headers
	skipDepth     = "depth"     // more layers in layers than anybody needs
)

// maxLayers is more than a VLAN in a VLAN in VXLAN takes.
const maxLayers = 24

// decoder takes packets apart. It is reused: what it gives is valid until the next.
type decoder struct {
	vxlan map[uint16]bool

	ethernet layers.Ethernet
	dot1q    layers.Dot1Q
	sll      layers.LinuxSLL
	sll2     layers.LinuxSLL2
	loopback layers.Loopback
	ip4      layers.IPv4
	ip6      layers.IPv6
	ext      layers.IPv6ExtensionSkipper
	gre      layers.GRE
	udp      layers.UDP
	tunnel   layers.VXLAN
	tcp      layers.TCP

	cut bool
}

// SetTruncated is called by layers that are longer than what was captured.
func (d *decoder) SetTruncated() { d.cut = true }

// first is the layer packets of a link type begin with.
func first(link layers.LinkType, data []byte) gopacket.LayerType {
	switch link {
	case layers.LinkTypeEthernet:
		return layers.LayerTypeEthernet
	case layers.LinkTypeNull, layers.LinkTypeLoop:
		return layers.LayerTypeLoopback
	case layers.LinkTypeLinuxSLL:
		return layers.LayerTypeLinuxSLL
	case layers.LinkTypeLinuxSLL2:
		return layers.LayerTypeLinuxSLL2
	case layers.LinkTypeIPv4:
		return layers.LayerTypeIPv4
	case layers.LinkTypeIPv6:
		return layers.LayerTypeIPv6
	case layers.LinkTypeRaw, 12, 14: // DLT_RAW has other numbers on BSD
		if len(data) > 0 && data[0]>>4 == 6 {
			return layers.LayerTypeIPv6
		}
		return layers.LayerTypeIPv4
	}
	return gopacket.LayerTypeZero
}

// decode finds the TCP segment in a packet. Without one it gives the reason.
func (d *decoder) decode(p *Packet) (s segment, skip string) {
	data, kind := p.Data, first(p.Link, p.Data)
	if kind == gopacket.LayerTypeZero {
		return s, skipLink
	}
	missing := 0 // bytes of the innermost IP packet that were not captured
	for range maxLayers {
		layer := d.layer(kind)
		if layer == nil {
			return s, skipNotTCP
		}
		d.cut = false
		if err := layer.DecodeFromBytes(data, d); err != nil {
			return s, skipMalformed
		}
		whole := len(data)
		data = layer.LayerPayload()
		switch kind {
		case layers.LayerTypeIPv4:
			if d.ip4.Flags&layers.IPv4MoreFragments != 0 || d.ip4.FragOffset != 0 {
				return s, skipFragment
			}
			missing = int(d.ip4.Length) - whole
			s.from.ip, s.to.ip = as16(d.ip4.SrcIP), as16(d.ip4.DstIP)
		case layers.LayerTypeIPv6:
			missing = int(d.ip6.Length) + ip6Header - whole
			s.from.ip, s.to.ip = as16(d.ip6.SrcIP), as16(d.ip6.DstIP)
		case layers.LayerTypeUDP:
			if !d.vxlan[uint16(d.udp.DstPort)] {
				return s, skipNotTCP
			}
			kind = layers.LayerTypeVXLAN
			continue
		case layers.LayerTypeTCP:
			d.segment(&s)
			s.missing = max(missing, 0)
			return s, ""
		case layers.LayerTypeGRE:
			if d.gre.Protocol == transparentEthernet {
				kind = layers.LayerTypeEthernet
				continue
			}
		}
		kind = layer.NextLayerType()
		if kind == layers.LayerTypeIPv6Fragment {
			return s, skipFragment
		}
	}
	return s, skipDepth
}

const ip6Header = 40 // bytes

const transparentEthernet = layers.EthernetType(0x6558)

func (d *decoder) layer(kind gopacket.LayerType) gopacket.DecodingLayer {
	switch kind {
	case layers.LayerTypeEthernet:
		return &d.ethernet
	case layers.LayerTypeDot1Q:
		return &d.dot1q
	case layers.LayerTypeIPv4:
		return &d.ip4
	case layers.LayerTypeIPv6:
		return &d.ip6
	case layers.LayerTypeTCP:
		return &d.tcp
	case layers.LayerTypeLinuxSLL:
		return &d.sll
	case layers.LayerTypeLinuxSLL2:
		return &d.sll2
	case layers.LayerTypeLoopback:
		return &d.loopback
	case layers.LayerTypeIPv6HopByHop, layers.LayerTypeIPv6Routing, layers.LayerTypeIPv6Destination:
		return &d.ext
	case layers.LayerTypeGRE:
		return &d.gre
	case layers.LayerTypeUDP:
		return &d.udp
	case layers.LayerTypeVXLAN:
		return &d.tunnel
	}
	return nil
}

// segment fills in what the TCP header says.
func (d *decoder) segment(s *segment) {
	t := &d.tcp
	s.from.port, s.to.port = uint16(t.SrcPort), uint16(t.DstPort)
	s.seq, s.ack, s.payload = t.Seq, t.Ack, t.Payload
	for _, f := range [...]struct {
		is   bool
		flag flags
	}{{t.SYN, flagSYN}, {t.ACK, flagACK}, {t.FIN, flagFIN}, {t.RST, flagRST}} {
		if f.is {
			s.flags |= f.flag
		}
	}
}

func as16(ip []byte) (out [16]byte) {
	if len(ip) == 4 {
		out[10], out[11] = 0xff, 0xff
		copy(out[12:], ip)
		return out
	}
	copy(out[:], ip)
	return out
}
