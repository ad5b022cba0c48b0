package live

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"golang.org/x/net/bpf"

	"mongoadvisor/internal/corpus"
	"mongoadvisor/internal/source/pcap"
)

func machine(t *testing.T, ports, tunnels []uint16, ethernet bool) *bpf.VM {
	t.Helper()
	raw, err := Filter(ports, tunnels, ethernet, false)
	if err != nil {
		t.Fatal(err)
	}
	code, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("the filter cannot be read back")
	}
	vm, err := bpf.NewVM(code)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

func passes(t *testing.T, vm *bpf.VM, packet []byte) bool {
	t.Helper()
	n, err := vm.Run(packet)
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

// TestFilterLetsServersThrough: all packets of a server's port pass, and none when
// another port is asked for.
func TestFilterLetsServersThrough(t *testing.T) {
	for _, name := range []string{"plain.pcap", "ipv6.pcap", "d_vlan.pcap", "d_qinq.pcap"} {
		f, err := os.Open(corpus.Own(t)[name])
		if err != nil {
			t.Fatal(err)
		}
		r, err := pcap.NewFile(f)
		if err != nil {
			t.Fatal(err)
		}
		mine, other := machine(t, []uint16{1, 27117, 60000}, nil, true), machine(t, []uint16{27017}, nil, true)
		tagged := name == "d_vlan.pcap" || name == "d_qinq.pcap" // passes whatever is in it
		n := 0
		for {
			p, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			n++
			if !passes(t, mine, p.Data) || passes(t, other, p.Data) != tagged {
				t.Fatalf("%s: packet %d: %v for its port, %v for another", name, n, passes(t, mine, p.Data), passes(t, other, p.Data))
			}
			if !tagged && (!passes(t, machine(t, []uint16{27117}, nil, false), p.Data[14:]) || passes(t, machine(t, []uint16{27017}, nil, false), p.Data[14:])) {
				t.Fatalf("%s: packet %d without its Ethernet header", name, n)
			}
		}
		f.Close()
	}
}

// TestFilterOfTunnels: datagrams to a tunnel's port and GRE pass, other datagrams do
// not.
func TestFilterOfTunnels(t *testing.T) {
	build := func(stack ...gopacket.SerializableLayer) []byte {
		b := gopacket.NewSerializeBuffer()
		if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true}, stack...); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	mac := []byte{2, 0, 0, 0, 0, 1}
	v4 := func(next layers.IPProtocol) *layers.IPv4 {
		return &layers.IPv4{Version: 4, TTL: 9, SrcIP: []byte{192, 0, 2, 1}, DstIP: []byte{192, 0, 2, 2}, Protocol: next, Options: []layers.IPv4Option{{OptionType: 1}, {OptionType: 1}, {OptionType: 1}, {OptionType: 1}}}
	}
	v6 := func(next layers.IPProtocol) *layers.IPv6 {
		return &layers.IPv6{Version: 6, HopLimit: 9, NextHeader: next, SrcIP: make([]byte, 16), DstIP: make([]byte, 16)}
	}
	ethernet := func(kind layers.EthernetType) *layers.Ethernet {
		return &layers.Ethernet{SrcMAC: mac, DstMAC: mac, EthernetType: kind}
	}
	vm := machine(t, []uint16{27017}, []uint16{4789}, true)
	for name, tt := range map[string]struct {
		packet []byte
		want   bool
	}{
		"VXLAN":             {build(ethernet(layers.EthernetTypeIPv4), v4(layers.IPProtocolUDP), &layers.UDP{SrcPort: 9, DstPort: 4789}), true},
		"VXLAN over IPv6":   {build(ethernet(layers.EthernetTypeIPv6), v6(layers.IPProtocolUDP), &layers.UDP{SrcPort: 9, DstPort: 4789}), true},
		"another datagram":  {build(ethernet(layers.EthernetTypeIPv4), v4(layers.IPProtocolUDP), &layers.UDP{SrcPort: 4789, DstPort: 53}), false},
		"another, IPv6":     {build(ethernet(layers.EthernetTypeIPv6), v6(layers.IPProtocolUDP), &layers.UDP{SrcPort: 4789, DstPort: 53}), false},
		"GRE":               {build(ethernet(layers.EthernetTypeIPv4), v4(layers.IPProtocolGRE), &layers.GRE{Protocol: layers.EthernetTypeIPv4}), true},
		"TCP with options":  {build(ethernet(layers.EthernetTypeIPv4), v4(layers.IPProtocolTCP), &layers.TCP{SrcPort: 27017, DstPort: 9}), true},
		"TCP over IPv6":     {build(ethernet(layers.EthernetTypeIPv6), v6(layers.IPProtocolTCP), &layers.TCP{SrcPort: 9, DstPort: 27017}), true},
		"TCP, another port": {build(ethernet(layers.EthernetTypeIPv6), v6(layers.IPProtocolTCP), &layers.TCP{SrcPort: 9, DstPort: 27018}), false},
		"ARP":               {build(ethernet(layers.EthernetTypeARP), gopacket.Payload(make([]byte, 28))), false},
	} {
		if got := passes(t, vm, tt.packet); got != tt.want {
			t.Errorf("%s: passes %v", name, got)
		}
	}
}

// TestFilterLimits: what would need longer jumps than there are is refused.
func TestFilterLimits(t *testing.T) {
	many := make([]uint16, maxFilterPorts)
	for i := range many {
		many[i] = uint16(20_000 + i)
	}
	if _, err := Filter(many, many, true, true); err != nil {
		t.Error(err)
	}
	if _, err := Filter(append(many, 1), nil, true, true); err == nil {
		t.Error("one port too many was taken")
	}
}
