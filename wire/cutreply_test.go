package wire

import (
	"bytes"
	"errors"
	"strconv"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"pgregory.net/rapid"
)

// The batch of a reply is cut, what stands on both sides of it is not.
func TestDecodeCutReply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var docs [][]byte
		for i := range rapid.IntRange(0, 400).Draw(t, "documents") {
			docs = append(docs, bsoncore.NewDocumentBuilder().AppendInt32("_id", int32(i)).AppendString("s", string(make([]byte, i%97))).Build())
		}
		batch := rapid.SampledFrom([]string{"firstBatch", "nextBatch"}).Draw(t, "batch")
		body := findReply(batch, 1<<40+7, "shop.orders", docs...)
		f := Framer{Limit: rapid.IntRange(64, len(body)+1).Draw(t, "limit")}
		m, _, ok := f.Next(packet(OpMsg, body))
		if !ok {
			t.Fatalf("no message")
		}
		r, err := DecodeCutReply(m)
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", len(m.Body), len(body), err)
		}
		if r.NS != "shop.orders" || r.CursorID != 1<<40+7 || !r.HasCursorID || !r.OK || !r.HasOK || r.BatchBytes < 5 {
			t.Fatalf("%+v", r)
		}
		if !m.Cut() && len(r.Docs) != len(docs) {
			t.Fatalf("%d of %d documents of a whole reply", len(r.Docs), len(docs))
		}
		// The next document, if there is one, did not fit.
		at := 4 + 1 + 4 + len("\x03cursor\x00") + 4 + 1 + len(batch) + 1 + 4
		for i, d := range r.Docs {
			if !bytes.Equal(d, docs[i]) {
				t.Fatalf("document %d is %x", i, []byte(d))
			}
		}
		for i, d := range docs {
			at += 1 + len(strconv.Itoa(i)) + 1 + len(d)
			if (at <= len(m.Body)) != (i < len(r.Docs)) {
				t.Fatalf("document %d ends at %d of %d, %d returned", i, at, len(m.Body), len(r.Docs))
			}
		}
	})
}

func replyOf(doc []byte) []byte { return packet(OpMsg, msgBody(0, kind0(doc))) }

// Fields come in other orders and other types from other servers.
func TestCutReplyShapes(t *testing.T) {
	big := bsoncore.NewDocumentBuilder().AppendString("s", string(make([]byte, 3000))).Build()
	batch := bsoncore.NewArrayBuilder().AppendDocument(numbered("_id", 1)).AppendDocument(big).AppendDocument(numbered("_id", 2)).Build()
	long := make([]byte, 3*TailSize)
	doc := bsoncore.NewDocumentBuilder
	for _, c := range []struct {
		name string
		doc  []byte
		want CutReply
		err  string
	}{
		{
			name: "id and ns before the batch, ok before the cursor",
			doc: doc().AppendInt32("ok", 1).AppendDocument("cursor",
				doc().AppendInt32("id", 5).AppendString("ns", "a.b").AppendArray("firstBatch", batch).Build()).Build(),
			want: CutReply{NS: "a.b", CursorID: 5, HasCursorID: true, OK: true, HasOK: true},
		},
		{
			name: "fields nobody asked for",
			doc: doc().AppendRegex("r", "a", "i").AppendDocument("cursor",
				doc().AppendNull("n").AppendArray("nextBatch", batch).AppendBinary("token", 0, []byte{1}).
					AppendInt64("id", 0).AppendString("ns", "a.b").Build()).
				AppendBoolean("ok", true).AppendDocument("$clusterTime", numbered("t", 1)).Build(),
			want: CutReply{NS: "a.b", HasCursorID: true, OK: true, HasOK: true},
		},
		{
			name: "an error behind the batch",
			doc: doc().AppendDocument("cursor", doc().AppendArray("nextBatch", batch).AppendInt64("id", 3).AppendString("ns", "a.b").Build()).
				AppendDouble("ok", 0).AppendString("errmsg", "x").AppendInt32("code", 43).AppendString("codeName", "CursorNotFound").Build(),
			want: CutReply{NS: "a.b", CursorID: 3, HasCursorID: true, HasOK: true, Code: 43, CodeName: "CursorNotFound"},
		},
		{
			name: "id behind what was cut, ok in reach",
			doc: doc().AppendDocument("cursor", doc().AppendArray("nextBatch", batch).AppendInt64("id", 3).AppendString("ns", "a.b").
				AppendBinary("token", 0, long).Build()).AppendDouble("ok", 1).Build(),
			want: CutReply{OK: true, HasOK: true},
			err:  "cut",
		},
		{
			name: "ok behind what was cut",
			doc: doc().AppendDocument("cursor", doc().AppendArray("nextBatch", batch).AppendInt64("id", 3).AppendString("ns", "a.b").Build()).
				AppendDouble("ok", 1).AppendBinary("token", 0, long).Build(),
			err: "cut",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := replyOf(c.doc)
			r, err := DecodeCutReply(framed(t, 200, p))
			if reasonOrNone(err) != c.err {
				t.Fatalf("%v, want reason %q", err, c.err)
			}
			if len(r.Docs) != 1 || !bytes.Equal(r.Docs[0], numbered("_id", 1)) || r.BatchBytes != len(batch) {
				t.Errorf("%d documents of a batch of %d bytes", len(r.Docs), r.BatchBytes)
			}
			r.Docs, r.BatchBytes = nil, 0
			if got, want := headOf(r), headOf(c.want); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			if r, err := DecodeCutReply(whole(t, p)); err != nil || len(r.Docs) != 3 || !r.HasOK || !r.HasCursorID {
				t.Errorf("not cut: %d documents, %v", len(r.Docs), err)
			}
		})
	}
}

// headOf is a CutReply without what cannot be compared.
func headOf(r CutReply) (h struct {
	NS, CodeName     string
	CursorID         int64
	Code             int32
	HasID, OK, HasOK bool
},
) {
	h.NS, h.CodeName, h.CursorID, h.Code, h.HasID, h.OK, h.HasOK = r.NS, r.CodeName, r.CursorID, r.Code, r.HasCursorID, r.OK, r.HasOK
	return h
}

// A cut reply that lies about lengths yields an error, not a read elsewhere.
func TestCutReplyLies(t *testing.T) {
	body := findReply("firstBatch", 7, "a.b", numbered("a", 1), numbered("a", 2))
	for i := 4; i < len(body); i++ {
		for _, b := range []byte{0, 1, 4, 0x7f, 0x80, 0xff} {
			mutant := bytes.Clone(body)
			mutant[i] = b
			for _, limit := range []int{16, 40, len(body)} {
				_, _ = DecodeCutReply(framed(t, limit, packet(OpMsg, mutant)))
			}
		}
	}
	for _, c := range []struct {
		name string
		body []byte
		want error
	}{
		{"nothing", nil, ErrMalformed},
		{"flags only", msgBody(0), ErrMalformed},
		{"kind 1", msgBody(0, kind1("a")), ErrSection},
		{"length too long", msgBody(0, []byte{0, 99, 0, 0, 0, 0}), ErrMalformed},
		{"unknown type", msgBody(0, kind0(rawDoc(rawElement(0x55, "a")...))), ErrMalformed},
		{"value longer than its document", msgBody(0, kind0(rawDoc(rawElement(typeDouble, "ok", 1, 2, 3)...))), ErrMalformed},
		{"cursor longer than its document", msgBody(0, kind0(rawDoc(rawElement(typeDocument, "cursor", 9, 0, 0, 0, 0)...))), ErrMalformed},
		{"bad document in the batch", findReply("firstBatch", 7, "a.b", rawDoc(0x55, 0)), ErrMalformed},
	} {
		if _, err := DecodeCutReply(whole(t, packet(OpMsg, c.body))); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// TestTorn: of the document that the cut goes through, the fields are named as
// far as they begin in the head.
func TestTorn(t *testing.T) {
	items := bsoncore.NewArrayBuilder()
	for range 500 {
		items.AppendInt32(1)
	}
	torn := bsoncore.NewDocumentBuilder().AppendInt32("_id", 7).AppendString("text", string(make([]byte, 2000))).
		AppendArray("items", items.Build()).AppendInt32("n", 1).Build()
	for _, c := range []struct {
		name string
		body []byte
	}{
		{"find", findReply("firstBatch", 0, "a.b", numbered("_id", 1), torn, numbered("_id", 2))},
		{"findAndModify", msgBody(0, kind0(bsoncore.NewDocumentBuilder().AppendDocument("value", torn).AppendDouble("ok", 1).Build()))},
	} {
		r, err := DecodeCutReply(framed(t, 2500, packet(OpMsg, c.body)))
		if err != nil {
			t.Fatal(err)
		}
		fields := r.Torn.Fields
		if r.Torn.Size != len(torn) || len(fields) < 3 {
			t.Fatalf("%s: %+v", c.name, r.Torn)
		}
		id, text, list := fields[0], fields[1], fields[2]
		if id.Name != "_id" || len(id.Value) != 4 || text.Name != "text" || text.Size != 2005 || list.Elements < 20 || list.Elements > 500 || list.First != typeInt32 || list.Value != nil {
			t.Errorf("%s: %+v", c.name, fields)
		}
	}
	if r, err := DecodeCutReply(framed(t, 10_000, packet(OpMsg, findReply("firstBatch", 0, "a.b", torn)))); err != nil || r.Torn.Size != 0 {
		t.Errorf("a whole one: %+v %v", r.Torn, err)
	}
}
