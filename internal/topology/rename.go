package topology

import (
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// rename appends doc to dst with the names at the places in fs translated, and
// tells whether any was. The document must have passed wire.Validate. It
// recurses as deep as fs does, however deep the document is.
//
// translate gets a name that aliases doc and returns another, or false to leave
// the name as it is.
func rename(dst, doc []byte, fs fields, translate func([]byte) (string, bool)) (out []byte, changed bool) {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for rest := doc[4:]; len(rest) > 1; { // one is the terminator
		e := next(&rest)
		p, known := fs[string(e.KeyBytes())]
		if !known {
			dst = append(dst, e...)
			continue
		}
		key := 1 + len(e.KeyBytes()) + 1 // the type, the name, its end
		dst = append(dst, e[:key]...)
		var did bool
		dst, did = p.rename(dst, bsoncore.Type(e[0]), e[key:], translate)
		changed = changed || did
	}
	dst = append(dst, 0)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst, changed
}

// rename appends one value.
func (p place) rename(dst []byte, t bsoncore.Type, value []byte, translate func([]byte) (string, bool)) (out []byte, changed bool) {
	switch {
	case p.name && t == bsoncore.TypeString:
		name, ok := translate(value[4 : len(value)-1])
		if ok {
			return bsoncore.AppendString(dst, name), true
		}
	case p.names && t == bsoncore.TypeArray:
		return renameEach(dst, value, place{name: true}, translate)
	case p.each != nil && t == bsoncore.TypeArray:
		return renameEach(dst, value, place{fields: p.each}, translate)
	case p.fields != nil && t == bsoncore.TypeEmbeddedDocument:
		return rename(dst, value, p.fields, translate)
	}
	return append(dst, value...), false
}

// renameEach appends an array of which each element is such a place.
func renameEach(dst, array []byte, p place, translate func([]byte) (string, bool)) (out []byte, changed bool) {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	for rest := array[4:]; len(rest) > 1; {
		e := next(&rest)
		key := 1 + len(e.KeyBytes()) + 1
		dst = append(dst, e[:key]...)
		var did bool
		dst, did = p.rename(dst, bsoncore.Type(e[0]), e[key:], translate)
		changed = changed || did
	}
	dst = append(dst, 0)
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start))
	return dst, changed
}

// next takes one element off rest. A validated document has no element that
// cannot be read; should the two readers ever differ, the panic has the message
// pass as it came.
func next(rest *[]byte) bsoncore.Element {
	e, after, ok := bsoncore.ReadElement(*rest)
	if !ok {
		panic("topology: an element that was validated cannot be read")
	}
	*rest = after
	return e
}
