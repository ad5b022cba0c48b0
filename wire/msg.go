package wire

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// MsgFlags are the flag bits of an OP_MSG.
type MsgFlags uint32

// The flag bits that exist. The lower sixteen must be understood by a receiver, the upper ones may be ignored.
const (
	// ChecksumPresent: the last four bytes are a CRC-32C of everything before them.
	ChecksumPresent MsgFlags = 1 << 0
	// MoreToCome: from a client, no reply is wanted; from a server, another message follows without a request.
	MoreToCome MsgFlags = 1 << 1
	// ExhaustAllowed: the client can take several replies to this request.
	ExhaustAllowed MsgFlags = 1 << 16
)

// Has tells whether all bits of x are set.
func (f MsgFlags) Has(x MsgFlags) bool { return f&x == x }

const (
	// MaxDocuments is how many documents one message may hold beside its body: maxWriteBatchSize of every server since 3.6.
	// Each costs a slice header here, five times the size of the shortest document.
	MaxDocuments = 100_000

	// MaxName is the longest name, in bytes, that is read: of a sequence, a collection or an error code. Servers allow
	// 255 bytes for a namespace and have no longer name for the others.
	MaxName = 512
)

// Sizes in bytes.
const (
	flagsSize    = 4
	checksumSize = 4
)

// Sequence is a kind-1 section: the elements of an array of the command, kept out of its body.
type Sequence struct {
	Name string
	Docs []bsoncore.Document // alias the message; validated
	Cut  bool                // the message was cut inside it: more documents were sent than are here
}

// Msg is a decoded OP_MSG.
type Msg struct {
	Flags     MsgFlags
	Body      bsoncore.Document // aliases the message; validated
	Sequences []Sequence        // in the order they were sent
	Cut       bool              // sections or parts of them are missing
}

// DecodeMsg reads the sections of an OP_MSG, in whatever order they come. The result aliases m.Body, and every document in it
// has passed Validate. A checksum is left out and not checked: an observer has no say in whether a message is good.
//
// Of a cut message it returns what is complete, with Cut set; if the body document is not, that is ErrCut. With any error the
// Msg holds what was read before it.
func DecodeMsg(m Message) (Msg, error) {
	var msg Msg
	if m.OpCode != OpMsg {
		return msg, fmt.Errorf("not an OP_MSG: %w", ErrMalformed)
	}
	in, flags, err := msgSections(m)
	msg.Flags = flags
	if err != nil {
		return msg, err
	}
	docs := 0
	for in.left > 0 {
		if len(in.b) == 0 {
			msg.Cut = true
			break
		}
		kind := in.b[0]
		in.advance(1)
		switch kind {
		case 0:
			if msg.Body != nil {
				return msg, fmt.Errorf("OP_MSG with two bodies: %w", ErrMalformed)
			}
			doc, err := in.document()
			if err == errNotHere {
				msg.Cut = true
				return msg, fmt.Errorf("OP_MSG body: %w", ErrCut)
			}
			if err != nil {
				return msg, fmt.Errorf("OP_MSG body: %w", err)
			}
			msg.Body = doc
		case 1:
			seq, err := in.sequence(MaxDocuments - docs)
			if err == errNotHere {
				msg.Cut = true
				break // its name is missing; in is used up
			}
			if err == nil || len(seq.Docs) > 0 {
				msg.Sequences = append(msg.Sequences, seq)
			}
			if err != nil {
				return msg, fmt.Errorf("OP_MSG sequence: %w", err)
			}
			docs += len(seq.Docs)
			msg.Cut = msg.Cut || seq.Cut
		default:
			return msg, fmt.Errorf("OP_MSG: %w", ErrSection)
		}
	}
	if msg.Body == nil {
		if msg.Cut {
			return msg, fmt.Errorf("OP_MSG body: %w", ErrCut)
		}
		return msg, fmt.Errorf("OP_MSG without a body: %w", ErrMalformed)
	}
	return msg, nil
}

// Flags are those of an OP_MSG; other messages have none, and of a compressed one
// they are not known.
func (m Message) Flags() MsgFlags {
	if m.OpCode != OpMsg || len(m.Body) < 4 {
		return 0
	}
	return MsgFlags(i32(m.Body))
}

// msgSections reads the flags and finds the sections, without the checksum.
func msgSections(m Message) (input, MsgFlags, error) {
	in := input{b: m.Body, left: m.size()}
	if len(in.b) < 4 {
		return in, 0, fmt.Errorf("OP_MSG flags: %w", in.missing(4))
	}
	flags := MsgFlags(i32(in.b))
	in.advance(4)
	if flags.Has(ChecksumPresent) {
		if in.left < checksumSize {
			return in, flags, fmt.Errorf("OP_MSG checksum: %w", ErrMalformed)
		}
		in.left -= checksumSize
		in.b = in.b[:min(len(in.b), in.left)]
	}
	return in, flags, nil
}

// sequence reads a kind-1 section of at most limit documents. errNotHere means that not even its name is there.
func (in *input) sequence(limit int) (Sequence, error) {
	var seq Sequence
	if len(in.b) < 4 {
		err := in.missing(4)
		in.advance(in.left)
		return seq, err
	}
	size := int(i32(in.b))
	if size < 4+1 || size > in.left {
		return seq, fmt.Errorf("length: %w", ErrMalformed)
	}
	sec := input{b: in.b[4:min(size, len(in.b))], left: size - 4}
	in.advance(size)

	name, err := sec.name()
	if err != nil {
		return seq, err
	}
	seq.Name = sequenceName(name)
	for sec.left > 0 {
		doc, err := sec.document()
		if err == errNotHere {
			seq.Cut = true
			return seq, nil
		}
		if err != nil {
			return seq, err
		}
		if len(seq.Docs) == limit {
			return seq, fmt.Errorf("documents: %w", ErrElements)
		}
		seq.Docs = append(seq.Docs, doc)
	}
	return seq, nil
}

// sequenceName spares the allocation for the names that commands use.
func sequenceName(b []byte) string {
	switch string(b) {
	case "documents":
		return "documents"
	case "updates":
		return "updates"
	case "deletes":
		return "deletes"
	case "ops":
		return "ops"
	case "nsInfo":
		return "nsInfo"
	default:
		return string(b)
	}
}
