package live

import (
	"fmt"
	"slices"

	"golang.org/x/net/bpf"
)

// snapLength is how much of a packet is captured: packets that the network card or
// the kernel puts together are longer than the network's.
const snapLength = 262144

// maxFilterPorts is how many ports a filter may have: the kernel takes 4,096
// instructions.
const maxFilterPorts = 256

// Constants of the headers a filter looks at.
const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	etherVLAN = 0x8100
	etherQinQ = 0x88a8
	protoTCP  = 6
	protoUDP  = 17
	protoGRE  = 47

	packetOutgoing = 4 // PACKET_OUTGOING of if_packet.h
)

// Filter is the BPF program that lets through TCP from and to ports, GRE, and UDP to
// tunnels (VXLAN ports). ethernet says that packets begin with an Ethernet header;
// without, with IP. With incoming, those that the machine sends are left out: on the
// loopback interface every packet is seen twice.
//
// Frames with a VLAN tag in them, which the network card usually takes out, and IPv6
// with extension headers pass: they are looked at later.
func Filter(ports, tunnels []uint16, ethernet, incoming bool) ([]bpf.RawInstruction, error) {
	if len(ports) > maxFilterPorts || len(tunnels) > maxFilterPorts {
		return nil, fmt.Errorf("%d ports, %d tunnels: at most %d of each", len(ports), len(tunnels), maxFilterPorts)
	}
	p := &program{jumps: map[int]string{}, labels: map[string]int{}}
	if incoming {
		p.add(bpf.LoadExtension{Num: bpf.ExtType})
		p.equal(packetOutgoing, "drop")
	}
	base := uint32(0)
	if ethernet {
		base = 14
		p.add(bpf.LoadAbsolute{Off: 12, Size: 2})
		p.equal(etherVLAN, "take")
		p.equal(etherQinQ, "take")
		p.equal(etherIPv6, "6")
		p.unequal(etherIPv4, "drop")
	} else {
		p.add(bpf.LoadAbsolute{Off: 0, Size: 1})
		p.add(bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 4})
		p.equal(6, "6")
	}
	p.add(bpf.LoadAbsolute{Off: base + 9, Size: 1})
	p.equal(protoGRE, "take")
	p.add(bpf.LoadMemShift{Off: base})
	p.equal(protoTCP, "4tcp")
	p.unequal(protoUDP, "drop")
	p.add(bpf.LoadIndirect{Off: base + 2, Size: 2})
	p.any(tunnels, "take")
	p.to("drop")
	p.label("4tcp")
	p.add(bpf.LoadIndirect{Off: base, Size: 2})
	p.any(ports, "take")
	p.add(bpf.LoadIndirect{Off: base + 2, Size: 2})
	p.any(ports, "take")
	p.to("drop")
	p.label("6")
	p.add(bpf.LoadAbsolute{Off: base + 6, Size: 1})
	p.equal(protoTCP, "6tcp")
	p.equal(protoUDP, "6udp")
	for _, extension := range []uint32{0, 43, 60, protoGRE} { // hop by hop, routing, destination
		p.equal(extension, "take")
	}
	p.to("drop")
	p.label("6udp")
	p.add(bpf.LoadAbsolute{Off: base + 42, Size: 2})
	p.any(tunnels, "take")
	p.to("drop")
	p.label("6tcp")
	p.add(bpf.LoadAbsolute{Off: base + 40, Size: 2})
	p.any(ports, "take")
	p.add(bpf.LoadAbsolute{Off: base + 42, Size: 2})
	p.any(ports, "take")
	p.label("drop")
	p.add(bpf.RetConstant{Val: 0})
	p.label("take")
	p.add(bpf.RetConstant{Val: snapLength})
	return p.assemble()
}

// program is a BPF program whose jumps have names until it is assembled. Jumps that
// ask reach 255 instructions, so they only skip one that does not ask and reaches all.
type program struct {
	code   []bpf.Instruction
	jumps  map[int]string // place to label
	labels map[string]int
}

func (p *program) add(i bpf.Instruction) { p.code = append(p.code, i) }

func (p *program) label(name string) { p.labels[name] = len(p.code) }

// to jumps.
func (p *program) to(label string) {
	p.jumps[len(p.code)] = label
	p.add(bpf.Jump{})
}

// equal jumps when what was loaded last is value.
func (p *program) equal(value uint32, label string) {
	p.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipFalse: 1})
	p.to(label)
}

// unequal jumps when it is not.
func (p *program) unequal(value uint32, label string) {
	p.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: 1})
	p.to(label)
}

// any jumps when it is one of the values.
func (p *program) any(values []uint16, label string) {
	for _, v := range slices.Sorted(slices.Values(values)) {
		p.equal(uint32(v), label)
	}
}

func (p *program) assemble() ([]bpf.RawInstruction, error) {
	for at, label := range p.jumps {
		p.code[at] = bpf.Jump{Skip: uint32(p.labels[label] - at - 1)}
	}
	return bpf.Assemble(p.code)
}
