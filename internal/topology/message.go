package topology

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/wire"
)

// Caps in bytes on what is held back. The largest configuration, 50 members
// with tags, has some 20 KiB; a full serverStatus 60 KiB.
const (
	maxRequest    = 1 << 20
	maxReply      = 4 << 20
	maxCompressed = 64 << 10 // of a request on the wire
)

// compressedPrefix is the size in bytes of what precedes the compressed bytes
// of an OP_COMPRESSED: opcode, size, compressor.
const compressedPrefix = 9

// framing judges the header of a message of which a has some bytes.
func framing(a []byte) (op wire.OpCode, v verdict) {
	if len(a) < 4 {
		return 0, verdict{more, 4} // enough to know HTTP and impossible lengths
	}
	n := i32(a)
	if n < wire.HeaderSize || n > wire.MaxMessageSize {
		return 0, verdict{lose, 0}
	}
	if len(a) < wire.HeaderSize {
		return 0, verdict{more, wire.HeaderSize}
	}
	op = wire.OpCode(i32(a[12:]))
	if op.Label() == "other" { // also a TLS record whose start is a possible length
		return op, verdict{lose, 0}
	}
	return op, verdict{pass, int(n)}
}

// message is a whole message with the document in which names may be.
type message struct {
	wire.Message
	compressed bool
	at         int // where in Body the document starts
	doc        bsoncore.Document
}

var (
	errNoDocument = errors.New("no document")
	errTooLong    = errors.New("too long when unpacked")
	errChecksum   = errors.New("wrong checksum")
	errNested     = errors.New("compressed twice")
)

// open reads a whole message. limit is how many bytes it may unpack to. The
// result aliases b unless it was compressed.
func open(b []byte, limit int) (m message, err error) {
	m.Message = wire.Message{
		Header: wire.Header{Length: i32(b), RequestID: i32(b[4:]), ResponseTo: i32(b[8:]), OpCode: wire.OpCode(i32(b[12:]))},
		Body:   b[wire.HeaderSize:],
	}
	if m.OpCode == wire.OpCompressed {
		switch {
		case len(m.Body) < compressedPrefix:
		case wire.OpCode(i32(m.Body)) == wire.OpCompressed:
			return m, errNested
		case int(i32(m.Body[4:])) > limit:
			return m, errTooLong
		}
		if m.Message, err = wire.Decompress(m.Message); err != nil {
			return m, err
		}
		m.compressed = true
	} else if m.OpCode == wire.OpMsg && m.checksummed() && m.sum(b) != m.checksum() {
		return m, errChecksum
	}
	return m, m.find()
}

// find sets at and doc.
func (m *message) find() error {
	switch m.OpCode {
	case wire.OpMsg:
		msg, err := wire.DecodeMsg(m.Message)
		if err != nil {
			return err
		}
		m.doc = msg.Body
		for at := 4; at < len(m.Body); { // the sections were checked
			if m.Body[at] == 0 {
				m.at = at + 1
				return nil
			}
			at += 1 + int(i32(m.Body[at+1:]))
		}
		return errNoDocument
	case wire.OpQuery:
		q, err := wire.DecodeQuery(m.Message)
		if err != nil {
			return err
		}
		m.doc, m.at = q.Body, 4+len(q.Collection)+1+8
		return nil
	case wire.OpReply:
		r, err := wire.DecodeReply(m.Message)
		if err != nil {
			return err
		}
		if len(r.Docs) == 0 {
			return errNoDocument
		}
		m.doc, m.at = r.Docs[0], 20
		return nil
	default:
		return fmt.Errorf("%s: %w", m.OpCode, errNoDocument)
	}
}

// flags are those of an OP_MSG.
func (m *message) flags() wire.MsgFlags {
	if m.OpCode != wire.OpMsg || len(m.Body) < 4 {
		return 0
	}
	return wire.MsgFlags(i32(m.Body))
}

func (m *message) checksummed() bool {
	return m.flags().Has(wire.ChecksumPresent) && len(m.Body) >= 8
}

func (m *message) checksum() uint32 {
	return binary.LittleEndian.Uint32(m.Body[len(m.Body)-4:])
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is the checksum that the bytes of a whole message should have.
func (m *message) sum(b []byte) uint32 { return crc32.Checksum(b[:len(b)-4], castagnoli) }

// with is the message with another document in the place of doc, uncompressed,
// as new bytes.
func (m *message) with(doc []byte) []byte {
	b := make([]byte, wire.HeaderSize, wire.HeaderSize+len(m.Body)-len(m.doc)+len(doc))
	b = append(b, m.Body[:m.at]...)
	b = append(b, doc...)
	b = append(b, m.Body[m.at+len(m.doc):]...)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint32(b[4:], uint32(m.RequestID))
	binary.LittleEndian.PutUint32(b[8:], uint32(m.ResponseTo))
	binary.LittleEndian.PutUint32(b[12:], uint32(m.OpCode))
	if m.checksummed() {
		binary.LittleEndian.PutUint32(b[len(b)-4:], m.sum(b))
	}
	return b
}
