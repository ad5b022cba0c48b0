package main

import (
	"encoding/binary"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

const (
	headerSize = 16
	opMsg      = 2013
)

// message is an OP_MSG with one document.
func message(doc any) []byte {
	body, err := bson.Marshal(doc)
	if err != nil {
		panic(err) // the documents are of this program
	}
	b := make([]byte, headerSize+4+1, headerSize+4+1+len(body))
	b = append(b, body...)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint32(b[12:], opMsg)
	return b
}

// length is what the header says.
func length(b []byte) int { return int(binary.LittleEndian.Uint32(b)) }

func requestID(b []byte) uint32        { return binary.LittleEndian.Uint32(b[4:]) }
func setRequestID(b []byte, id uint32) { binary.LittleEndian.PutUint32(b[4:], id) }

func responseTo(b []byte) uint32 { return binary.LittleEndian.Uint32(b[8:]) }

// answers sets what a reply answers.
func answers(b []byte, id uint32) { binary.LittleEndian.PutUint32(b[8:], id) }

const (
	smallColl = "small"
	bulkColl  = "bulk"
	bulkSize  = 8 << 20
)

var (
	helloRequest = message(bson.D{{Key: "hello", Value: 1}, {Key: "$db", Value: "admin"}})
	findRequest  = message(bson.D{
		{Key: "find", Value: smallColl},
		{Key: "filter", Value: bson.D{{Key: "_id", Value: 1}}},
		{Key: "limit", Value: int64(1)},
		{Key: "singleBatch", Value: true},
		{Key: "$db", Value: "bench"},
	})
	insertRequest = message(bson.D{
		{Key: "insert", Value: smallColl},
		{Key: "ordered", Value: true},
		{Key: "$db", Value: "bench"},
		{Key: "documents", Value: bson.A{bson.D{{Key: "_id", Value: bson.NewObjectID()}, {Key: "text", Value: strings.Repeat("x", 1000)}}}},
	})
	bulkRequest = message(bson.D{{Key: "find", Value: bulkColl}, {Key: "filter", Value: bson.D{}}, {Key: "$db", Value: "bench"}})
)

// Replies of the canned upstream.
var (
	helloReply = message(bson.D{
		{Key: "helloOk", Value: true},
		{Key: "isWritablePrimary", Value: true},
		{Key: "maxBsonObjectSize", Value: 16 << 20},
		{Key: "maxMessageSizeBytes", Value: 48_000_000},
		{Key: "maxWriteBatchSize", Value: 100_000},
		{Key: "minWireVersion", Value: 0},
		{Key: "maxWireVersion", Value: 17},
		{Key: "ok", Value: 1.0},
	})
	findReply   = cursorReply(smallColl, bson.A{bson.D{{Key: "_id", Value: 1}, {Key: "name", Value: "somebody"}, {Key: "text", Value: strings.Repeat("x", 120)}}})
	insertReply = message(bson.D{{Key: "n", Value: 1}, {Key: "ok", Value: 1.0}})
	bulkReply   = cursorReply(bulkColl, bulkDocs())
)

func cursorReply(coll string, docs bson.A) []byte {
	return message(bson.D{
		{Key: "cursor", Value: bson.D{{Key: "firstBatch", Value: docs}, {Key: "id", Value: int64(0)}, {Key: "ns", Value: "bench." + coll}}},
		{Key: "ok", Value: 1.0},
	})
}

// bulkDocs are 8 MiB in documents of 1 KiB.
func bulkDocs() bson.A {
	text := strings.Repeat("x", 1000)
	docs := make(bson.A, 0, bulkSize>>10)
	for i := range bulkSize >> 10 {
		docs = append(docs, bson.D{{Key: "_id", Value: i}, {Key: "text", Value: text}})
	}
	return docs
}
