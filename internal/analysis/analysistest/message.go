package analysistest

import (
	"encoding/binary"
	"maps"
	"slices"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/wire"
)

// Message builds an OP_MSG as it stands on the wire, header included.
func Message(id, respondsTo int32, flags wire.MsgFlags, body bsoncore.Document, sequences map[string][]bsoncore.Document) []byte {
	b := make([]byte, wire.HeaderSize, wire.HeaderSize+len(body)+64)
	b = binary.LittleEndian.AppendUint32(b, uint32(flags))
	b = append(b, 0)
	b = append(b, body...)
	for _, name := range slices.Sorted(maps.Keys(sequences)) {
		b = append(b, 1)
		start := len(b)
		b = append(b, 0, 0, 0, 0)
		b = append(append(b, name...), 0)
		for _, d := range sequences[name] {
			b = append(b, d...)
		}
		binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start))
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint32(b[4:], uint32(id))
	binary.LittleEndian.PutUint32(b[8:], uint32(respondsTo))
	binary.LittleEndian.PutUint32(b[12:], uint32(wire.OpMsg))
	return b
}

// parsed is the same as a framer cuts it.
func parsed(raw []byte) wire.Message {
	var f wire.Framer
	m, _, ok := f.Next(raw)
	if !ok {
		panic("analysistest: built a message that does not frame")
	}
	return m
}
