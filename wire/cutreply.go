package wire

import (
	"fmt"
	"math"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// CutReply is what can be known of a reply whose batch was not kept whole.
type CutReply struct {
	Flags MsgFlags

	NS          string
	CursorID    int64
	HasCursorID bool // without it a CursorID of 0 is not "exhausted" but unknown

	Docs       []bsoncore.Document // complete in the head; alias the message; validated
	BatchBytes int                 // size of the whole batch as sent, so that the number of documents can be estimated
	Torn       Torn                // the document after these

	OK       bool
	HasOK    bool // without it OK was out of reach
	Code     int32
	CodeName string
}

// Torn is what can be known of a document that is not complete in the head.
type Torn struct {
	Size   int         // of the document in bytes; 0 when there is none
	Fields []TornField // the first of its top-level fields, as far as they begin in the head
}

// TornField is one field of a torn document.
type TornField struct {
	Name  string
	Kind  byte   // its BSON type
	Size  int    // of its value in bytes, as it says
	Value []byte // of _id, nil when it is not there as a whole; aliases the message and is not validated
	// Elements are those of an array that begin in the head: it has at least as many. First is the BSON type of the first.
	Elements int
	First    byte
}

// MaxTorn is how many fields of a torn document are read.
const MaxTorn = 256

// DecodeCutReply reads an OP_MSG reply to find, aggregate, getMore and their like from its two ends: the fields before the
// batch and the documents complete in the head, and what follows the batch from the tail. BSON says how long each value is, so
// the place of what follows a value is known without having it.
//
// The error is ErrCut when a field other than the batch was, or may have been, in what is missing. With any error the reply
// holds what could be read.
func DecodeCutReply(m Message) (CutReply, error) {
	if m.OpCode != OpMsg {
		return CutReply{}, fmt.Errorf("not an OP_MSG: %w", ErrMalformed)
	}
	in, flags, err := msgSections(m)
	r := replyReader{ends: newEnds(m)}
	r.Flags = flags
	if err == nil {
		err = r.read(in.left)
	}
	if err == nil {
		err = r.missing
	}
	if err != nil {
		return r.CutReply, fmt.Errorf("reply: %w", err)
	}
	return r.CutReply, nil
}

// replyReader fills a CutReply.
type replyReader struct {
	ends
	CutReply
	missing error // the first field that is not there, while others still are
}

// read reads left bytes of sections.
func (r *replyReader) read(left int) error {
	const start = 4 // behind the flags
	kind, err := r.at(start, 1)
	if err != nil {
		return err
	}
	if kind[0] != 0 {
		return ErrSection
	}
	body, err := r.document(start+1, start+left)
	if err != nil {
		return err
	}
	return r.walk(body, MaxElements, func(e element) error {
		switch {
		case e.is("cursor", typeDocument):
			return r.skim(r.cursor(e))
		case e.is("value", typeDocument): // of findAndModify
			r.torn(e)
		case e.is("ok", typeDouble, typeInt32, typeInt64, typeBool) && !r.HasOK:
			n, err := r.number(e)
			r.OK, r.HasOK = n != 0, err == nil
			return r.skim(err)
		case e.is("code", typeDouble, typeInt32, typeInt64):
			n, err := r.number(e)
			if math.Abs(n) <= math.MaxInt32 {
				r.Code = int32(n)
			}
			return r.skim(err)
		case e.is("codeName", typeString):
			r.CodeName, err = r.string(e)
			return r.skim(err)
		}
		return nil
	})
}

// skim notes what is missing and goes on: where the next field is, is known.
func (r *replyReader) skim(err error) error {
	if err != errNotHere {
		return err
	}
	r.missing = err
	return nil
}

func (r *replyReader) cursor(e element) error {
	doc, err := r.document(e.value, e.end)
	if err != nil {
		return err
	}
	return r.walk(doc, MaxElements, func(e element) error {
		switch {
		case e.is("firstBatch", typeArray), e.is("nextBatch", typeArray):
			return r.batch(e)
		case e.is("id", typeInt64, typeInt32) && !r.HasCursorID:
			n, err := r.integer(e)
			r.CursorID, r.HasCursorID = n, err == nil
			return r.skim(err)
		case e.is("ns", typeString):
			r.NS, err = r.string(e)
			return r.skim(err)
		}
		return nil
	})
}

// batch reads the documents that are complete in the head, at most MaxDocuments. That there are others is no error.
func (r *replyReader) batch(e element) error {
	doc, err := r.document(e.value, e.end)
	if err == errNotHere {
		return nil
	}
	if err != nil {
		return err
	}
	r.BatchBytes += e.end - e.value
	err = r.walk(doc, MaxDocuments, func(e element) error {
		if e.kind != typeDocument {
			return nil
		}
		if e.end > len(r.head) {
			r.torn(e)
			return errNotHere
		}
		b := r.head[e.value:e.end:e.end]
		if err := Validate(b); err != nil {
			return err
		}
		r.Docs = append(r.Docs, bsoncore.Document(b))
		return nil
	})
	if err == errNotHere || err == errTooMany {
		return nil
	}
	return err
}

// torn reads what is there of a document. What is not is no error.
func (r *replyReader) torn(e element) {
	doc, err := r.document(e.value, e.end)
	if err != nil || e.end <= len(r.head) || r.Torn.Size > 0 {
		return
	}
	r.Torn.Size = e.end - e.value
	_ = r.walk(doc, MaxTorn, func(e element) error {
		f := TornField{Name: string(e.key), Kind: e.kind, Size: e.end - e.value}
		if f.Name == "_id" && e.end <= len(r.head) {
			f.Value = r.head[e.value:e.end:e.end]
		}
		if e.kind == typeArray {
			if items, err := r.document(e.value, e.end); err == nil {
				_ = r.walk(items, MaxElements, func(e element) error {
					if f.Elements++; f.Elements == 1 {
						f.First = e.kind
					}
					return nil
				})
			}
		}
		r.Torn.Fields = append(r.Torn.Fields, f)
		return nil
	})
}
