package wire

// Side is which end of a connection sent the bytes of a stream.
type Side uint8

// The sides. From SideUnknown both kinds of messages are believed.
const (
	SideUnknown Side = iota
	SideClient
	SideServer
)

// PlausibleSize is how many bytes Plausible looks at.
const PlausibleSize = 26

// Plausible tells whether b, of at least PlausibleSize bytes, can be the start of a message sent by side: a length and an
// opcode that exist, a responseTo that fits the side, and a body that begins as one of that opcode does. It is stricter than a
// server, which has a length it can trust: it knows no opcode that nobody uses today, and no message shorter than what it looks
// at. Of random bytes about one place in 10^14 passes.
func Plausible(b []byte, side Side) bool {
	if len(b) < PlausibleSize {
		return false
	}
	h := parseHeader((*[HeaderSize]byte)(b))
	if h.Length < PlausibleSize || h.Length > MaxMessageSize {
		return false
	}
	reply := h.ResponseTo != 0
	if side == SideClient && reply || side == SideServer && !reply {
		return false
	}
	body := b[HeaderSize:]
	switch h.OpCode {
	case OpMsg:
		return plausibleMsg(body, int(h.Length))
	case OpCompressed:
		size := i32(body[4:])
		inner := OpCode(i32(body))
		return inner != OpCompressed && inner.Label() != labelOther && size >= minDocument && size <= MaxMessageSize && body[8] <= 3
	case OpQuery: // flags, then "db.collection"
		return !reply && uint32(i32(body)) < 256 && printableASCII(body[4]) && printableASCII(body[5])
	case OpReply: // flags, cursor id, startingFrom, numberReturned
		return reply && uint32(i32(body)) < 16
	}
	return false
}

// plausibleMsg looks at flags and the first section of an OP_MSG of n bytes.
func plausibleMsg(body []byte, n int) bool {
	const known = uint32(ChecksumPresent | MoreToCome | ExhaustAllowed)
	if uint32(i32(body))&^known != 0 {
		return false
	}
	size := int(i32(body[5:]))
	if size < minDocument || size > n-HeaderSize-5 {
		return false
	}
	first := body[9]
	switch body[4] {
	case 0:
		return elementType(first) || first == 0 && size == minDocument
	case 1: // the name of the sequence
		return printableASCII(first)
	}
	return false
}

func printableASCII(c byte) bool { return c > ' ' && c < 0x7f }

// elementType tells whether a BSON element can begin with c.
func elementType(c byte) bool { return c >= 0x01 && c <= 0x13 || c == 0x7f || c == 0xff }

// FindHeader is where in b the first plausible message starts, -1 when nowhere.
func FindHeader(b []byte, side Side) int {
	for i := 0; i+PlausibleSize <= len(b); i++ {
		if b[i+14]|b[i+15] == 0 && Plausible(b[i:], side) { // the high bytes of all opcodes
			return i
		}
	}
	return -1
}
