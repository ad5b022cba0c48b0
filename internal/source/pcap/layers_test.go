package pcap

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// wrapped puts the IP packet of an Ethernet frame between other layers.
func wrapped(t *testing.T, p Packet, link layers.LinkType, before ...gopacket.SerializableLayer) Packet {
	t.Helper()
	b := gopacket.NewSerializeBuffer()
	stack := append(before, gopacket.Payload(p.Data[ethernetHeader:]))
	if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true}, stack...); err != nil {
		t.Fatal(err)
	}
	p.Data, p.Link = b.Bytes(), link
	p.Size = len(p.Data)
	return p
}

const ethernetHeader = 14

// raw puts bytes before the IP packet.
func raw(p Packet, link layers.LinkType, before ...byte) Packet {
	p.Data, p.Link = append(before[:len(before):len(before)], p.Data[ethernetHeader:]...), link
	p.Size = len(p.Data)
	return p
}

// TestLayers: the same traffic is the same operations in whatever it comes.
func TestLayers(t *testing.T) {
	plain := packets(t, "plain.pcap")
	want := play(plain, Config{})
	if len(want.ops) < 50 || want.coverage.Messages != 115 {
		t.Fatalf("%d operations of %d messages", len(want.ops), want.coverage.Messages)
	}
	mac := []byte{2, 0, 0, 0, 0, 1}
	ethernet := func(kind layers.EthernetType) *layers.Ethernet {
		return &layers.Ethernet{SrcMAC: mac, DstMAC: mac, EthernetType: kind}
	}
	outer := func(next layers.IPProtocol) *layers.IPv4 {
		return &layers.IPv4{Version: 4, TTL: 9, SrcIP: []byte{192, 0, 2, 1}, DstIP: []byte{192, 0, 2, 2}, Protocol: next}
	}
	outer6 := &layers.IPv6{Version: 6, HopLimit: 9, NextHeader: layers.IPProtocolUDP, SrcIP: make([]byte, 16), DstIP: make([]byte, 16)}
	forms := map[string]func(Packet) Packet{
		"raw IP":       func(p Packet) Packet { return raw(p, layers.LinkTypeRaw) },
		"raw IP, BSD":  func(p Packet) Packet { return raw(p, 12) },
		"IPv4":         func(p Packet) Packet { return raw(p, layers.LinkTypeIPv4) },
		"loopback":     func(p Packet) Packet { return raw(p, layers.LinkTypeNull, 2, 0, 0, 0) },
		"loopback, BE": func(p Packet) Packet { return raw(p, layers.LinkTypeLoop, 0, 0, 0, 2) },
		"cooked": func(p Packet) Packet {
			return raw(p, layers.LinkTypeLinuxSLL, 0, 0, 3, 4, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0)
		},
		"cooked, version 2": func(p Packet) Packet {
			return raw(p, layers.LinkTypeLinuxSLL2, 8, 0, 0, 0, 0, 0, 0, 1, 3, 4, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0)
		},
		"VLAN": func(p Packet) Packet {
			return wrapped(t, p, layers.LinkTypeEthernet, ethernet(layers.EthernetTypeDot1Q), &layers.Dot1Q{VLANIdentifier: 7, Type: layers.EthernetTypeIPv4})
		},
		"VLAN in a provider's": func(p Packet) Packet {
			return wrapped(t, p, layers.LinkTypeEthernet, ethernet(layers.EthernetTypeQinQ), &layers.Dot1Q{VLANIdentifier: 7, Type: layers.EthernetTypeDot1Q}, &layers.Dot1Q{VLANIdentifier: 8, Type: layers.EthernetTypeIPv4})
		},
		"VXLAN": func(p Packet) Packet {
			return wrapped(t, p, layers.LinkTypeEthernet, ethernet(layers.EthernetTypeIPv4), outer(layers.IPProtocolUDP), &layers.UDP{SrcPort: 5, DstPort: 4789}, &layers.VXLAN{ValidIDFlag: true, VNI: 9}, ethernet(layers.EthernetTypeIPv4))
		},
		"VXLAN over IPv6": func(p Packet) Packet {
			return wrapped(t, p, layers.LinkTypeEthernet, ethernet(layers.EthernetTypeIPv6), outer6, &layers.UDP{SrcPort: 5, DstPort: 4789}, &layers.VXLAN{ValidIDFlag: true, VNI: 9}, ethernet(layers.EthernetTypeIPv4))
		},
		"GRE": func(p Packet) Packet {
			return wrapped(t, p, layers.LinkTypeEthernet, ethernet(layers.EthernetTypeIPv4), outer(layers.IPProtocolGRE), &layers.GRE{Protocol: layers.EthernetTypeIPv4})
		},
		"GRE with Ethernet": func(p Packet) Packet {
			return wrapped(t, p, layers.LinkTypeEthernet, ethernet(layers.EthernetTypeIPv4), outer(layers.IPProtocolGRE), &layers.GRE{Protocol: transparentEthernet}, ethernet(layers.EthernetTypeIPv4))
		},
		"IP in IP": func(p Packet) Packet {
			return wrapped(t, p, layers.LinkTypeEthernet, ethernet(layers.EthernetTypeIPv4), outer(layers.IPProtocolIPv4))
		},
		"padded": func(p Packet) Packet {
			p.Data = append(p.Data[:len(p.Data):len(p.Data)], 0, 0, 0, 0, 0, 0)
			p.Size = len(p.Data)
			return p
		},
		"no IP length": func(p Packet) Packet { // handed to the network card to be cut
			p.Data = append([]byte(nil), p.Data...)
			p.Data[ethernetHeader+2], p.Data[ethernetHeader+3] = 0, 0
			return p
		},
	}
	for name, form := range forms {
		var changed []Packet
		for _, p := range plain {
			changed = append(changed, form(p))
		}
		got := play(changed, Config{})
		if d := cmp.Diff(want.ops, got.ops); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if len(got.coverage.Packets.Skipped) > 0 || got.coverage.Packets.Gaps > 0 {
			t.Errorf("%s: %+v", name, got.coverage.Packets)
		}
	}
}

// TestVXLANPort: tunnels on other ports are looked into when they are named.
func TestVXLANPort(t *testing.T) {
	mac := []byte{2, 0, 0, 0, 0, 1}
	var tunnelled []Packet
	for _, p := range packets(t, "plain.pcap") {
		tunnelled = append(tunnelled, wrapped(t, p, layers.LinkTypeEthernet, &layers.Ethernet{SrcMAC: mac, DstMAC: mac, EthernetType: layers.EthernetTypeIPv4},
			&layers.IPv4{Version: 4, TTL: 9, SrcIP: []byte{192, 0, 2, 1}, DstIP: []byte{192, 0, 2, 2}, Protocol: layers.IPProtocolUDP},
			&layers.UDP{SrcPort: 5, DstPort: 8472}, &layers.VXLAN{ValidIDFlag: true}, &layers.Ethernet{SrcMAC: mac, DstMAC: mac, EthernetType: layers.EthernetTypeIPv4}))
	}
	if got := play(tunnelled, Config{}); got.coverage.Packets.Skipped[skipNotTCP] != int64(len(tunnelled)) {
		t.Errorf("%+v", got.coverage.Packets)
	}
	if got := play(tunnelled, Config{VXLAN: []uint16{8472}}); got.coverage.Messages != 115 {
		t.Errorf("%d messages, want 115", got.coverage.Messages)
	}
}

// TestSkipped: what is no TCP, or only a part of it, is counted by its reason.
func TestSkipped(t *testing.T) {
	p := packets(t, "plain.pcap")[0]
	change := func(at int, b ...byte) Packet {
		q := p
		q.Data = append([]byte(nil), p.Data...)
		copy(q.Data[at:], b)
		return q
	}
	short := p
	short.Data = p.Data[:30]
	odd := p
	odd.Link = 147
	nested := p
	nested.Data = append([]byte(nil), p.Data[:12]...)
	for range maxLayers {
		nested.Data = binary.BigEndian.AppendUint16(nested.Data, 0x8100)
		nested.Data = binary.BigEndian.AppendUint16(nested.Data, 1)
	}
	nested.Data = append(binary.BigEndian.AppendUint16(nested.Data, 0x0800), p.Data[14:]...)
	for want, q := range map[string]Packet{
		skipNotTCP: change(ethernetHeader+9, 1), skipFragment: change(ethernetHeader+6, 0x20), skipMalformed: short, skipLink: odd, skipDepth: nested,
	} {
		got := play([]Packet{q}, Config{})
		if got.coverage.Packets.Skipped[want] != 1 {
			t.Errorf("%s: %v", want, got.coverage.Packets.Skipped)
		}
		if got.capture.Why() == "" {
			t.Errorf("%s: no reason", want)
		}
	}
}
