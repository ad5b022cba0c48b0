package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

func queryBody(collection string, docs ...[]byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 4) // secondaryOk
	b = append(append(b, collection...), 0)
	b = append(b, le32(2)...)
	b = append(b, le32(-1)...)
	return append(b, cat(docs...)...)
}

func TestDecodeQuery(t *testing.T) {
	doc, fields := numbered("isMaster", 1), numbered("name", 1)
	for _, c := range []struct {
		name, want string
		body       []byte
	}{
		{name: "command", body: queryBody("admin.$cmd", doc)},
		{name: "with fields", body: queryBody("admin.$cmd", doc, fields)},
		{name: "longest name", body: queryBody(strings.Repeat("n", MaxName), doc)},
		{name: "name too long", body: queryBody(strings.Repeat("n", MaxName+1), doc), want: "malformed"},
		{name: "name without end", body: []byte("\x04\x00\x00\x00admin"), want: "malformed"},
		{name: "no document", body: queryBody("admin.$cmd"), want: "malformed"},
		{name: "bad document", body: queryBody("admin.$cmd", rawDoc(0x55, 0)), want: "malformed"},
		{name: "bad fields", body: queryBody("admin.$cmd", doc, rawDoc(0x55, 0)), want: "malformed"},
		{name: "more", body: queryBody("admin.$cmd", doc, fields, []byte{0}), want: "malformed"},
		{name: "deep", body: queryBody("admin.$cmd", nested(MaxDepth+1)), want: "depth"},
		{name: "nothing", want: "malformed"},
	} {
		q, err := DecodeQuery(whole(t, packet(OpQuery, c.body)))
		if got := reasonOrNone(err); got != c.want {
			t.Errorf("%s: %v, want reason %q", c.name, err, c.want)
		}
		if err == nil && (q.Flags != 4 || q.Skip != 2 || q.Limit != -1 || q.Collection == "" || !bytes.Equal(q.Body, doc)) {
			t.Errorf("%s: %+v", c.name, q)
		}
	}
}

func TestDecodeCutQuery(t *testing.T) {
	doc := numbered("isMaster", 1)
	p := packet(OpQuery, queryBody("admin.$cmd", doc, numbered("name", 1)))
	for limit := 1; limit < len(p)-HeaderSize; limit++ {
		q, err := DecodeQuery(framed(t, limit, p))
		if complete := limit >= len(queryBody("admin.$cmd", doc)); complete != (err == nil) || complete != (q.Body != nil) {
			t.Errorf("cut at %d: %v", limit, err)
		}
		if err != nil && !errors.Is(err, ErrCut) {
			t.Errorf("cut at %d: %v", limit, err)
		}
	}
}
