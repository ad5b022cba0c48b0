package pcap

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// Packet is one captured packet.
type Packet struct {
	Time time.Time
	Link layers.LinkType
	Data []byte // what was captured of it; valid until the next packet is read
	Size int    // as it was on the wire
}

// File reads a capture file, pcap or pcapng, from a stream.
type File struct {
	next    func() ([]byte, gopacket.CaptureInfo, error)
	link    layers.LinkType
	mixed   bool // the link type comes with each packet
	dropped int64
	raw     *remembering
}

// remembering keeps the error that reading ended with.
type remembering struct {
	r   io.Reader
	err error
}

func (r *remembering) Read(b []byte) (n int, err error) {
	if n, err = r.r.Read(b); err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

var numbers = regexp.MustCompile("[0-9]+")

// discreet is an error without the numbers that stand in the file: in a damaged one
// those may be anything.
func (f *File) discreet(err error) error {
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case f.raw.err != nil:
		return f.raw.err
	case strings.HasPrefix(err.Error(), "could not discard"): // a block, at the end of the file
		return io.ErrUnexpectedEOF
	}
	return errors.New(numbers.ReplaceAllLiteralString(err.Error(), "…"))
}

// The magic numbers of capture files, as the first four bytes read big-endian.
var magics = map[uint32]bool{
	0xa1b2c3d4: true, 0xd4c3b2a1: true, // microseconds, both byte orders
	0xa1b23c4d: true, 0x4d3cb2a1: true, // nanoseconds
	0x0a0d0d0a: true, // pcapng
}

// Is tells from its first bytes whether something is a capture file.
func Is(head []byte) bool {
	return len(head) >= 4 && magics[binary.BigEndian.Uint32(head)]
}

// bufferSize is read at once.
const bufferSize = 256 << 10

// NewFile reads the head of a capture file.
func NewFile(r io.Reader) (*File, error) {
	raw := &remembering{r: r}
	b := bufio.NewReaderSize(raw, bufferSize)
	head, err := b.Peek(4)
	if err != nil {
		return nil, fmt.Errorf("capture file: %w", noEOF(err))
	}
	if !Is(head) {
		return nil, errors.New("no capture file")
	}
	f := &File{raw: raw}
	if binary.BigEndian.Uint32(head) == 0x0a0d0d0a {
		ng, err := pcapgo.NewNgReader(b, pcapgo.NgReaderOptions{
			WantMixedLinkType: true, SkipUnknownVersion: true,
			StatisticsCallback: func(_ int, s pcapgo.NgInterfaceStatistics) {
				if s.PacketsDropped != pcapgo.NgNoValue64 {
					f.dropped += int64(s.PacketsDropped)
				}
			},
		})
		if err != nil {
			return nil, fmt.Errorf("pcapng: %w", f.discreet(noEOF(err)))
		}
		f.next, f.mixed = ng.ZeroCopyReadPacketData, true
		return f, nil
	}
	r0, err := pcapgo.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("pcap: %w", f.discreet(noEOF(err)))
	}
	f.next, f.link = r0.ZeroCopyReadPacketData, r0.LinkType()
	return f, nil
}

// noEOF makes the end of a file an error where something must follow.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Next reads a packet. The error is io.EOF at the end, io.ErrUnexpectedEOF when the
// file ends inside a packet, and another one when it is damaged.
func (f *File) Next() (Packet, error) {
	data, info, err := f.next()
	if err != nil {
		return Packet{}, f.discreet(err)
	}
	p := Packet{Time: info.Timestamp, Link: f.link, Data: data, Size: info.Length}
	if f.mixed && len(info.AncillaryData) > 0 {
		p.Link, _ = info.AncillaryData[0].(layers.LinkType)
	}
	return p, nil
}

// Dropped is how many packets the capturing program says it lost, as far as the file
// was read. Only pcapng says so.
func (f *File) Dropped() int64 { return f.dropped }
