package wire

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// LegacyReply is a decoded OP_REPLY, the answer to OP_QUERY and OP_GET_MORE.
type LegacyReply struct {
	Flags        uint32
	CursorID     int64
	StartingFrom int32
	Returned     int32               // documents as the server says; fewer are here when the message was cut
	Docs         []bsoncore.Document // alias the message; validated
	Cut          bool                // more documents were sent than are here
}

// DecodeReply reads an OP_REPLY. Of a cut message it returns the documents that are complete, with Cut set. With any error the
// reply holds what was read before it.
func DecodeReply(m Message) (LegacyReply, error) {
	var r LegacyReply
	if m.OpCode != OpReply {
		return r, fmt.Errorf("not an OP_REPLY: %w", ErrMalformed)
	}
	in := input{b: m.Body, left: m.size()}
	flags, err := in.int32("OP_REPLY flags")
	if err != nil {
		return r, err
	}
	r.Flags = uint32(flags)
	if r.CursorID, err = in.int64("OP_REPLY cursor id"); err != nil {
		return r, err
	}
	if r.StartingFrom, err = in.int32("OP_REPLY start"); err != nil {
		return r, err
	}
	if r.Returned, err = in.int32("OP_REPLY number of documents"); err != nil {
		return r, err
	}
	for in.left > 0 {
		doc, err := in.document()
		if err == errNotHere {
			r.Cut = true
			return r, nil
		}
		if err != nil {
			return r, fmt.Errorf("OP_REPLY document: %w", err)
		}
		if len(r.Docs) == MaxDocuments {
			return r, fmt.Errorf("OP_REPLY documents: %w", ErrElements)
		}
		r.Docs = append(r.Docs, doc)
	}
	if int(r.Returned) != len(r.Docs) {
		return r, fmt.Errorf("OP_REPLY number of documents: %w", ErrMalformed)
	}
	return r, nil
}
