package live

import (
	"fmt"
	"slices"

	"golang.org/x/net/bpf"
)

// snapLength is how much of a packet is captured: packets that the network card or
// the kernel puts together are longer than the network's.
const snapLength = 262144

// maxFilterPorts is how many ports a filter may have: jumps reach 255 instructions.
const maxFilterPorts = 60

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
	p := &program{labels: map[string]int{}}
	if incoming {
		p.add(bpf.LoadExtension{Num: bpf.ExtType})
		p.jump(packetOutgoing, "drop", "")
	}
	base := uint32(0)
	if ethernet {
		base = 14
		p.add(bpf.LoadAbsolute{Off: 12, Size: 2})
		p.jump(etherVLAN, "take", "")
		p.jump(etherQinQ, "take", "")
		p.jump(etherIPv6, "6", "")
		p.jump(etherIPv4, "", "drop")
	} else {
		p.add(bpf.LoadAbsolute{Off: 0, Size: 1})
		p.add(bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 4})
		p.jump(6, "6", "")
	}
	p.add(bpf.LoadAbsolute{Off: base + 9, Size: 1})
	p.jump(protoGRE, "take", "")
	p.add(bpf.LoadMemShift{Off: base})
	p.jump(protoTCP, "4tcp", "")
	p.jump(protoUDP, "", "drop")
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
	p.jump(protoTCP, "6tcp", "")
	p.jump(protoUDP, "6udp", "")
	for _, extension := range []uint32{0, 43, 60, protoGRE} { // hop by hop, routing, destination
		p.jump(extension, "take", "")
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

// program is a BPF program whose jumps have names until it is assembled.
type program struct {
	code   []bpf.Instruction
	jumps  []named
	labels map[string]int
}

// named is a jump at a place, to a label; "" goes on with the next instruction.
type named struct {
	at          int
	yes, no, to string
}

func (p *program) add(i bpf.Instruction) { p.code = append(p.code, i) }

func (p *program) label(name string) { p.labels[name] = len(p.code) }

// jump compares what was loaded last.
func (p *program) jump(value uint32, yes, no string) {
	p.jumps = append(p.jumps, named{at: len(p.code), yes: yes, no: no})
	p.add(bpf.JumpIf{Cond: bpf.JumpEqual, Val: value})
}

// to jumps without asking.
func (p *program) to(label string) {
	p.jumps = append(p.jumps, named{at: len(p.code), to: label})
	p.add(bpf.Jump{})
}

// any jumps when what was loaded last is one of the values.
func (p *program) any(values []uint16, yes string) {
	for _, v := range slices.Sorted(slices.Values(values)) {
		p.jump(uint32(v), yes, "")
	}
}

func (p *program) assemble() ([]bpf.RawInstruction, error) {
	distance := func(at int, label string) int {
		if label == "" {
			return 0
		}
		return p.labels[label] - at - 1
	}
	for _, j := range p.jumps {
		if j.to != "" {
			p.code[j.at] = bpf.Jump{Skip: uint32(distance(j.at, j.to))}
			continue
		}
		yes, no := distance(j.at, j.yes), distance(j.at, j.no)
		if yes > 255 || no > 255 {
			return nil, fmt.Errorf("filter: a jump of %d instructions", max(yes, no))
		}
		i := p.code[j.at].(bpf.JumpIf)
		i.SkipTrue, i.SkipFalse = uint8(yes), uint8(no)
		p.code[j.at] = i
	}
	return bpf.Assemble(p.code)
}
