package main

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
)

// readMessage reads one message. With an error it returns what there was.
func readMessage(r io.Reader) ([]byte, error) {
	head := make([]byte, 16)
	if n, err := io.ReadFull(r, head); err != nil {
		return head[:n], err
	}
	length := int(int32(binary.LittleEndian.Uint32(head)))
	if length < 16 || length > 48_000_000 { // no message: text, most likely
		rest, err := io.ReadAll(r)
		if err == nil {
			err = io.EOF
		}
		return append(head, rest...), err
	}
	b := make([]byte, length)
	copy(b, head)
	n, err := io.ReadFull(r, b[16:])
	return b[:16+n], err
}

// primary finds the host that takes writes.
func primary(ctx context.Context, hosts []string, config *tls.Config, set bool) (server, error) {
	if config != nil {
		config = config.Clone()
		config.ServerName = "127.0.0.1"
	}
	for ctx, cancel := context.WithTimeout(ctx, guard); ; {
		for _, host := range hosts {
			s := server{addr: host, tls: config, set: set}
			text, err := s.play(test{run: func(x *session) { x.send(msg(1, 0, body("hello"))); x.answer() }})
			if err == nil && strings.Contains(text, `"isWritablePrimary":true`) {
				cancel()
				return s, nil
			}
		}
		select {
		case <-ctx.Done():
			cancel()
			return server{}, fmt.Errorf("none of %v is primary", hosts)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
