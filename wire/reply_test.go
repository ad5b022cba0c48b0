package wire

import (
	"errors"
	"testing"
)

func replyBody(returned int32, docs ...[]byte) []byte {
	return cat(le32(8), []byte{9, 0, 0, 0, 0, 0, 0, 0}, le32(5), le32(returned), cat(docs...))
}

func TestDecodeReply(t *testing.T) {
	doc := numbered("ok", 1)
	for _, c := range []struct {
		name, want string
		body       []byte
		docs       int
	}{
		{name: "one", body: replyBody(1, doc), docs: 1},
		{name: "none", body: replyBody(0)},
		{name: "three", body: replyBody(3, doc, doc, doc), docs: 3},
		{name: "fewer than said", body: replyBody(1<<30, doc), docs: 1, want: "malformed"},
		{name: "more than said", body: replyBody(1, doc, doc), docs: 2, want: "malformed"},
		{name: "bad document", body: replyBody(2, doc, rawDoc(0x55, 0)), docs: 1, want: "malformed"},
		{name: "document too long", body: replyBody(1, le32(50)), want: "malformed"},
		{name: "short", body: []byte{1, 2, 3, 4, 5}, want: "malformed"},
	} {
		r, err := DecodeReply(whole(t, packet(OpReply, c.body)))
		if got := reasonOrNone(err); got != c.want || len(r.Docs) != c.docs || r.Cut {
			t.Errorf("%s: %v with %d documents, want reason %q with %d", c.name, err, len(r.Docs), c.want, c.docs)
		}
		if err == nil && (r.Flags != 8 || r.CursorID != 9 || r.StartingFrom != 5 || int(r.Returned) != c.docs) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

func TestDecodeCutLegacyReply(t *testing.T) {
	doc := numbered("ok", 1)
	p := packet(OpReply, replyBody(3, doc, doc, doc))
	for limit := 1; limit < len(p)-HeaderSize; limit++ {
		r, err := DecodeReply(framed(t, limit, p))
		switch {
		case limit < 20:
			if !errors.Is(err, ErrCut) {
				t.Errorf("cut at %d: %v", limit, err)
			}
		case err != nil || !r.Cut || r.Returned != 3 || len(r.Docs) != (limit-20)/len(doc):
			t.Errorf("cut at %d: %+v, %v", limit, r, err)
		}
	}
}
