package wire

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/wiremessage"
)

// The driver's x/ tree may change without notice. What this package, its callers and its tests use of it is named here with its
// type, so that a change is a compile error in one place.
var (
	_ []byte                                                               = bsoncore.Document(nil)
	_ func([]byte) (bsoncore.Element, []byte, bool)                        = bsoncore.ReadElement
	_ func([]byte) (bsoncore.Document, []byte, bool)                       = bsoncore.ReadDocument
	_ func(bsoncore.Document) ([]bsoncore.Element, error)                  = bsoncore.Document.Elements
	_ func(bsoncore.Document, ...string) bsoncore.Value                    = bsoncore.Document.Lookup
	_ func(bsoncore.Element) error                                         = bsoncore.Element.Validate
	_ func(bsoncore.Element) bsoncore.Value                                = bsoncore.Element.Value
	_ func(bsoncore.Value) (string, bsoncore.Document)                     = bsoncore.Value.CodeWithScope
	_ func() *bsoncore.DocumentBuilder                                     = bsoncore.NewDocumentBuilder
	_ func() *bsoncore.ArrayBuilder                                        = bsoncore.NewArrayBuilder
	_ func([]byte) (int32, int32, int32, wiremessage.OpCode, []byte, bool) = wiremessage.ReadHeader
)

// The opcodes and flags are the driver's.
func TestSameAsDriver(t *testing.T) {
	for ours, theirs := range map[OpCode]wiremessage.OpCode{
		OpReply: wiremessage.OpReply, OpUpdate: wiremessage.OpUpdate, OpInsert: wiremessage.OpInsert, OpQuery: wiremessage.OpQuery,
		OpGetMore: wiremessage.OpGetMore, OpDelete: wiremessage.OpDelete, OpKillCursors: wiremessage.OpKillCursors,
		OpCommand: wiremessage.OpCommand, OpCommandReply: wiremessage.OpCommandReply, OpCompressed: wiremessage.OpCompressed,
		OpMsg: wiremessage.OpMsg,
	} {
		if int32(ours) != int32(theirs) || ours.Label() != theirs.String() {
			t.Errorf("%d %q, the driver says %d %q", ours, ours.Label(), theirs, theirs)
		}
	}
	for ours, theirs := range map[MsgFlags]wiremessage.MsgFlag{
		ChecksumPresent: wiremessage.ChecksumPresent, MoreToCome: wiremessage.MoreToCome, ExhaustAllowed: wiremessage.ExhaustAllowed,
	} {
		if uint32(ours) != uint32(theirs) {
			t.Errorf("flag %b, the driver says %b", ours, theirs)
		}
	}
}

// A header reads as the driver reads it.
func TestHeaderSameAsDriver(t *testing.T) {
	everyMessage(t, func(name string, m Message) {
		p := packetID(m.RequestID, m.ResponseTo, m.OpCode, m.Body)
		length, id, to, op, _, ok := wiremessage.ReadHeader(p)
		if want := (Header{length, id, to, OpCode(op)}); !ok || m.Header != want {
			t.Errorf("%s: %+v, the driver says %+v", name, m.Header, want)
		}
	})
}
