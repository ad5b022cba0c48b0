package wire

import "encoding/binary"

const (
	// HeaderSize is the size in bytes of the header every message starts with.
	HeaderSize = 16

	// MaxMessageSize is the largest message in bytes, header included. mongod 6.0.5 accepts exactly this many and closes
	// the connection at a declared length of one more. It is not the 16 MiB limit of a document.
	MaxMessageSize = 48_000_000

	// TailSize is how many bytes of the end of a message are kept when its middle is not.
	// What follows the batch of a reply (cursor id, namespace, ok, cluster times) takes 60 to 400 bytes.
	TailSize = 1024
)

// Header is the start of every message. Length counts the header itself.
type Header struct {
	Length, RequestID, ResponseTo int32
	OpCode                        OpCode
}

// BodySize is the size in bytes of the body as it was sent, whatever was kept of it.
func (h Header) BodySize() int { return int(h.Length) - HeaderSize }

// parseHeader reads four little-endian numbers; whether the length can be true is for the caller to say.
func parseHeader(b *[HeaderSize]byte) Header {
	return Header{
		Length:     i32(b[0:]),
		RequestID:  i32(b[4:]),
		ResponseTo: i32(b[8:]),
		OpCode:     OpCode(i32(b[12:])),
	}
}

// legalLength tells whether a server would accept a message that declares n bytes.
func legalLength(n int32) bool { return n >= HeaderSize && n <= MaxMessageSize }

// Message is one framed message.
type Message struct {
	Header

	// Body is what follows the header, cut at the framer's limit. The message owns it, unless it is Borrowed.
	Body []byte

	// Tail is only there when Body is cut: the last bytes of the message, at most TailSize. It never overlaps Body, so it
	// is shorter when less than TailSize was cut off. The message owns it.
	Tail []byte

	// Borrowed says that Body aliases the chunk it was read from, and is valid as long as that: whoever keeps the message
	// copies it. Only a [Framer] that may borrow makes such messages.
	Borrowed bool
}

// Cut tells whether bytes of the body were not kept.
func (m Message) Cut() bool { return len(m.Body) < m.BodySize() }

// size is BodySize for decoders: they also get messages put together by hand, whose header may say less than is there.
func (m Message) size() int { return max(m.BodySize(), len(m.Body)) }

// i32 reads a little-endian int32 from the first four bytes of b.
func i32(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }

// i64 reads a little-endian int64 from the first eight bytes of b.
func i64(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }
