package main

import (
	"encoding/binary"
	"hash/crc32"

	"go.mongodb.org/mongo-driver/v2/bson"
)

const (
	opReply      = 1
	opQuery      = 2004
	opCompressed = 2012
	opMsg        = 2013

	checksum       = 1 << 0
	moreToCome     = 1 << 1
	exhaustAllowed = 1 << 16

	ping = "ping"
	// aliveID is the request id of signs of life.
	aliveID = 999
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// message puts a header before a body.
func message(id, op int32, b []byte) []byte { return declared(int32(16+len(b)), id, op, b) }

// declared is a message that says it has length bytes.
func declared(length, id, op int32, b []byte) []byte {
	var m []byte
	for _, v := range []int32{length, id, 0, op} {
		m = int32le(m, v)
	}
	return append(m, b...)
}

// msg is an OP_MSG with sections as given. A flagged checksum is added.
func msg(id int32, flags uint32, sections ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, flags)
	for _, s := range sections {
		b = append(b, s...)
	}
	if flags&checksum == 0 {
		return message(id, opMsg, b)
	}
	m := declared(int32(20+len(b)), id, opMsg, b)
	return binary.LittleEndian.AppendUint32(m, crc32.Checksum(m, castagnoli))
}

// section0 is a section of kind 0.
func section0(doc []byte) []byte { return append([]byte{0}, doc...) }

// body is a section of kind 0 with {command: 1, …, $db: "admin"}.
func body(command string, more ...bson.E) []byte {
	return section0(doc(append(append(bson.D{{Key: command, Value: 1}}, more...), bson.E{Key: "$db", Value: "admin"})...))
}

// on is a section of kind 0 with {command: value, …, $db: "wire"}.
func on(command string, value any, more ...bson.E) []byte {
	return section0(doc(append(append(bson.D{{Key: command, Value: value}}, more...), bson.E{Key: "$db", Value: "wire"})...))
}

// sequence is a section of kind 1.
func sequence(name string, docs ...[]byte) []byte {
	size := 4 + len(name) + 1
	for _, d := range docs {
		size += len(d)
	}
	b := int32le([]byte{1}, int32(size))
	b = append(append(b, name...), 0)
	for _, d := range docs {
		b = append(b, d...)
	}
	return b
}

// query is the body of an OP_QUERY that runs a command.
func query(namespace string, n int32, d []byte) []byte {
	b := append(int32le(nil, 0), namespace...)
	b = int32le(int32le(append(b, 0), 0), n)
	return append(b, d...)
}

// compressed is an OP_COMPRESSED around a message.
func compressed(by byte, inner []byte) []byte {
	return compressedAs(by, inner, int32(len(inner)-16), pack(by, inner[16:]))
}

// compressedAs says that the payload has size bytes when unpacked.
func compressedAs(by byte, inner []byte, size int32, payload []byte) []byte {
	b := append([]byte{}, inner[12:16]...)
	b = append(int32le(b, size), by)
	return message(int32(binary.LittleEndian.Uint32(inner[4:])), opCompressed, append(b, payload...))
}

func doc(d ...bson.E) []byte {
	b, err := bson.Marshal(append(bson.D{}, d...)) // nil is no document
	if err != nil {
		panic(err) // the values are literals of this program
	}
	return b
}

func e(key string, value any) bson.E { return bson.E{Key: key, Value: value} }

func int32le(b []byte, v int32) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v)) }
