package wire

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Query is a decoded OP_QUERY. Drivers still open connections with one: isMaster on admin.$cmd.
type Query struct {
	Flags       uint32
	Collection  string // full name, "admin.$cmd" for a command
	Skip, Limit int32
	Body        bsoncore.Document // aliases the message; validated; {$query: …} is not unwrapped
}

// DecodeQuery reads an OP_QUERY. A returnFieldsSelector is checked and left out. When a cut message ends before the document
// does, the error is ErrCut and the other fields are set.
func DecodeQuery(m Message) (Query, error) {
	var q Query
	if m.OpCode != OpQuery {
		return q, fmt.Errorf("not an OP_QUERY: %w", ErrMalformed)
	}
	in := input{b: m.Body, left: m.size()}
	flags, err := in.int32("OP_QUERY flags")
	if err != nil {
		return q, err
	}
	q.Flags = uint32(flags)
	name, err := in.name()
	if err != nil {
		return q, fmt.Errorf("OP_QUERY collection: %w", err)
	}
	q.Collection = string(name)
	if q.Skip, err = in.int32("OP_QUERY skip"); err != nil {
		return q, err
	}
	if q.Limit, err = in.int32("OP_QUERY limit"); err != nil {
		return q, err
	}
	body, err := in.document()
	if err != nil {
		return q, fmt.Errorf("OP_QUERY document: %w", err)
	}
	q.Body = body
	if in.left == 0 {
		return q, nil
	}
	if _, err := in.document(); err == errNotHere {
		return q, nil
	} else if err != nil {
		return q, fmt.Errorf("OP_QUERY field selector: %w", err)
	}
	if in.left > 0 {
		return q, fmt.Errorf("OP_QUERY with bytes left over: %w", ErrMalformed)
	}
	return q, nil
}
