package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source"
	"mongoadvisor/internal/source/pcap"
)

// captures reads capture files as one run: their packets in the order of time. A
// file that begins after another one ended goes on with its connections, as tcpdump's
// rotated files do; files that overlap are captures of different places.
type captures struct {
	capture *pcap.Capture
	waiting []opened // by the time of their first packets
	reading []*lane
	idle    []*pcap.Lane
	torn    []error // files that could not be read to their ends
}

// opened is a file of which the first packet was looked at.
type opened struct {
	input *input
	at    time.Time
}

// lane is a file being read, one packet ahead.
type lane struct {
	*pcap.Lane
	input  *input
	file   *pcap.File
	packet pcap.Packet
}

func newCaptures(c *config, inputs []*input, emit func(*op.Operation)) (*captures, error) {
	s := &captures{capture: pcap.New(pcap.Config{Ports: ports(c.Port), VXLAN: ports(c.VXLAN), Emit: emit})}
	for _, in := range inputs {
		at := time.Time{}
		if len(inputs) > 1 {
			var err error
			if at, err = firstPacket(in); err != nil {
				return nil, err
			}
		}
		s.waiting = append(s.waiting, opened{in, at})
	}
	slices.SortStableFunc(s.waiting, func(a, b opened) int { return a.at.Compare(b.at) })
	return s, nil
}

// firstPacket is when the first packet of a file was captured. A pipe, which cannot be
// read twice, counts as the first.
func firstPacket(in *input) (time.Time, error) {
	if in.in != nil {
		return time.Time{}, nil
	}
	i, err := source.Open(in.name, nil)
	if err != nil {
		return time.Time{}, unreadable(err)
	}
	defer i.Close()
	f, err := pcap.NewFile(i)
	if err != nil {
		return time.Time{}, nil // said when it is read
	}
	p, _ := f.Next()
	return p.Time, nil
}

func ports(list []uint) []uint16 {
	var out []uint16
	for _, p := range list {
		out = append(out, uint16(p))
	}
	return out
}

// read reads all files.
func (s *captures) read() error {
	for len(s.waiting)+len(s.reading) > 0 {
		next := s.next()
		if len(s.waiting) > 0 && (next == nil || !s.waiting[0].at.After(next.packet.Time)) {
			if err := s.open(s.waiting[0]); err != nil {
				return err
			}
			s.waiting = s.waiting[1:]
			continue
		}
		if len(s.waiting) == 0 && len(s.reading) == 1 {
			for {
				next.Feed(&next.packet)
				if !s.advance(next) {
					break
				}
			}
			continue
		}
		next.Feed(&next.packet)
		s.advance(next)
	}
	s.capture.Close()
	return nil
}

// next is the file with the earliest packet.
func (s *captures) next() *lane {
	var next *lane
	for _, l := range s.reading {
		if next == nil || l.packet.Time.Before(next.packet.Time) {
			next = l
		}
	}
	return next
}

// open starts to read a file, in the lane that became idle last.
func (s *captures) open(o opened) error {
	in, err := o.input.open()
	if err != nil {
		return err
	}
	l := &lane{input: o.input}
	if n := len(s.idle); n > 0 {
		l.Lane, s.idle = s.idle[n-1], s.idle[:n-1]
	} else {
		l.Lane = s.capture.Lane()
	}
	s.reading = append(s.reading, l)
	if l.file, err = pcap.NewFile(in); err != nil {
		s.end(l, err)
		return nil
	}
	s.advance(l)
	return nil
}

// advance reads the next packet of a file. It reports whether there is one.
func (s *captures) advance(l *lane) bool {
	var err error
	if l.packet, err = l.file.Next(); err == nil {
		return true
	}
	s.end(l, err)
	return false
}

// end closes a file.
func (s *captures) end(l *lane, err error) {
	if l.file != nil {
		s.capture.Dropped(l.file.Dropped())
	}
	switch {
	case l.input.stopped():
		s.capture.Incomplete()
	case errors.Is(err, io.ErrUnexpectedEOF):
		s.capture.Incomplete()
		s.torn = append(s.torn, fmt.Errorf("%s ends inside a packet: the report is about what comes before", l.input.name))
	case !errors.Is(err, io.EOF):
		s.capture.Incomplete()
		s.torn = append(s.torn, fmt.Errorf("%s is damaged, %w: the report is about what comes before", l.input.name, err))
	}
	l.input.close()
	s.reading = slices.DeleteFunc(s.reading, func(x *lane) bool { return x == l })
	s.idle = append(s.idle, l.Lane)
}

func (s *captures) source() op.Source     { return op.SourcePcap }
func (s *captures) has() op.Has           { return s.capture.Has() }
func (s *captures) coverage() op.Coverage { return s.capture.Coverage() }
func (s *captures) why() string           { return s.capture.Why() }
func (s *captures) unfinished() []error   { return s.torn }
