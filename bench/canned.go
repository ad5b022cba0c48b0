package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
)

// serve prints its address and gives each connection a goroutine, which closes
// it. It only ends by an error.
func serve(handle func(*net.TCPConn)) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go handle(c.(*net.TCPConn))
	}
}

// serveCanned is an upstream that answers from memory.
func serveCanned() error {
	return serve(func(c *net.TCPConn) {
		defer func() { _ = c.Close() }()
		_ = cannedConn(c)
	})
}

// cannedConn answers requests as long as they come. Replies to requests that
// came together leave together.
func cannedConn(c net.Conn) error {
	r, w := bufio.NewReaderSize(c, 32<<10), bufio.NewWriterSize(c, 32<<10)
	replies := map[string][]byte{
		"hello": slices.Clone(helloReply[:headerSize]), "insert": slices.Clone(insertReply[:headerSize]),
		smallColl: slices.Clone(findReply[:headerSize]), bulkColl: slices.Clone(bulkReply[:headerSize]),
	}
	for {
		start, err := r.Peek(headerSize)
		if err != nil {
			return err
		}
		request, err := r.Peek(min(length(start), 256))
		if err != nil {
			return err
		}
		kind, err := kindOf(request)
		if err != nil {
			return err
		}
		header := replies[kind]
		answers(header, requestID(request))
		if _, err := r.Discard(length(start)); err != nil {
			return err
		}
		if _, err := w.Write(header); err != nil {
			return err
		}
		if _, err := w.Write(cannedBody[kind]); err != nil {
			return err
		}
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

var cannedBody = map[string][]byte{
	"hello": helloReply[headerSize:], "insert": insertReply[headerSize:], smallColl: findReply[headerSize:], bulkColl: bulkReply[headerSize:],
}

var errRequest = errors.New("a request this upstream has no answer to")

// kindOf reads the first element of a request: its command, or for a find the
// collection.
func kindOf(request []byte) (string, error) {
	const first = headerSize + 4 + 1 + 4 // flags, section kind, document length
	if len(request) < first+2 {
		return "", io.ErrUnexpectedEOF
	}
	element := request[first+1:]
	name, value, _ := strings.Cut(string(element[:min(len(element), 64)]), "\x00")
	switch name {
	case "hello", "insert":
		return name, nil
	case "find":
		if len(value) < 4 {
			return "", errRequest
		}
		size := int(binary.LittleEndian.Uint32([]byte(value)))
		switch coll := value[4:min(len(value), 3+size)]; {
		case coll == bulkColl:
			return coll, nil
		case strings.HasPrefix(coll, smallColl):
			return smallColl, nil
		}
	}
	return "", errRequest
}
