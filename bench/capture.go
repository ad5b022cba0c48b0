package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/pcapgo"

	"mongoadvisor/e2e/harness"
)

// recordings is where the captures of real drivers against a real mongod are that a
// long one is made of.
const recordings = "internal/session/testdata"

// recorded are the packets of one recording.
type recorded struct {
	data [][]byte
	info []gopacket.CaptureInfo
}

// readRecordings reads all recordings that are not compressed.
func readRecordings() ([]recorded, error) {
	var out []recorded
	for _, name := range []string{"plain", "mongoose", "np_getmore", "np_in_chunks", "np_populate", "np_two_clients", "np_insertloop"} {
		f, err := os.Open(filepath.Join(recordings, name+".pcap"))
		if err != nil {
			return nil, err
		}
		r, err := pcapgo.NewReader(f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		var rec recorded
		for {
			data, info, err := r.ReadPacketData()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, errors.Join(err, f.Close())
			}
			rec.data, rec.info = append(rec.data, data), append(rec.info, info)
		}
		_ = f.Close()
		out = append(out, rec)
	}
	return out, nil
}

// Places of addresses and ports in an Ethernet frame with IPv4.
const (
	sourceAddress   = 26
	sourcePort      = 34
	otherAddress    = 4 // behind that of the source
	otherPort       = 2
	clientPortsFrom = 30_000 // the recorded servers' are lower
	clientHosts     = 8
)

// disguise makes the packet one of another client: a host of eight, and other ports
// when they come round again.
func disguise(data []byte, port uint16, round uint32) {
	address, at := sourceAddress, sourcePort
	if port < clientPortsFrom {
		address, at = address+otherAddress, at+otherPort
		port = binary.BigEndian.Uint16(data[at:])
	}
	copy(data[address:], []byte{10, 0, 0, byte(1 + round%clientHosts)})
	binary.BigEndian.PutUint16(data[at:], clientPortsFrom+uint16((uint32(port)+round/clientHosts*61)%(1<<16-clientPortsFrom)))
}

// writeCapture writes a capture of at least size bytes: the recordings one after the
// other, as if from eight hosts with new connections each time, at the pace they were
// recorded.
func writeCapture(path string, size int64) error {
	all, err := readRecordings()
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<20)
	w := pcapgo.NewWriter(b)
	if err := w.WriteFileHeader(262144, 1); err != nil {
		return err
	}
	buffer := make([]byte, 0, 1<<16)
	now, written := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), int64(0)
	for round := uint32(1); written < size; round++ {
		for i := range all {
			rec := &all[i]
			from := rec.info[0].Timestamp
			for k, original := range rec.data {
				data := append(buffer[:0], original...)
				disguise(data, binary.BigEndian.Uint16(data[sourcePort:]), round)
				info := rec.info[k]
				info.Timestamp = now.Add(info.Timestamp.Sub(from))
				if err := w.WritePacket(info, data); err != nil {
					return err
				}
				written += int64(len(data)) + 16
			}
			now = now.Add(rec.info[len(rec.info)-1].Timestamp.Sub(from))
		}
	}
	return errors.Join(b.Flush(), f.Close())
}

// benchCapture measures analyze on a capture of that size: how fast it is read, and
// the most memory the process took.
func benchCapture(ctx context.Context, program string, size int64) error {
	dir, err := os.MkdirTemp("", "bench-capture-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if program == "" {
		program = filepath.Join(dir, "mongoadvisor")
		if err := harness.Build(ctx, program); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, "capture.pcap")
	if err := writeCapture(path, size); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	for range 3 {
		run := exec.CommandContext(ctx, program, "analyze", path, "--format", "json")
		run.Stderr = os.Stderr
		start := time.Now()
		if err := run.Run(); err != nil {
			return err
		}
		took := time.Since(start)
		usage, _ := run.ProcessState.SysUsage().(*syscall.Rusage)
		fmt.Printf("%d MB in %.2f s: %.0f MB/s, %.2f s of CPU, at most %d MB of memory\n", info.Size()/1e6, took.Seconds(),
			float64(info.Size())/1e6/took.Seconds(), (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds(), usage.Maxrss/1000)
	}
	return nil
}
