package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"regexp"
	"strings"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// text is an answer in words.
func (x *session) text(b []byte) string {
	to := "other"
	switch id := int32(binary.LittleEndian.Uint32(b[8:])); {
	case id == x.prev && id != 0:
		to = "the answer before"
	case id == aliveID:
		to = "sign of life"
	case id >= 0 && id < 1000:
		to = fmt.Sprint(id)
	}
	said := content(int32(binary.LittleEndian.Uint32(b[12:])), b[16:], b)
	if x.server.set && strings.Contains(said, `"hosts":[`) {
		// what names the members may be rewritten, and then it goes on uncompressed
		said = compressedBy.ReplaceAllString(said, "compressed or not: ")
	}
	return fmt.Sprintf("to %s: %s", to, said)
}

var compressedBy = regexp.MustCompile(`^(compressed by \d+: )?`)

// content is an answer's opcode and body; whole is the message with its header.
func content(op int32, b, whole []byte) string {
	switch {
	case op == opCompressed && len(b) >= 9:
		inner, err := unpack(b[8], b[9:])
		if err != nil {
			return fmt.Sprintf("compressed by %d: %v", b[8], err)
		}
		return fmt.Sprintf("compressed by %d: %s", b[8], content(int32(binary.LittleEndian.Uint32(b)), inner, nil))
	case op == opReply && len(b) >= 20:
		return fmt.Sprintf("OP_REPLY flags %x: %s", binary.LittleEndian.Uint32(b), document(b[20:]))
	case op == opMsg && len(b) >= 5:
		flags, sum := binary.LittleEndian.Uint32(b), ""
		if flags&1 != 0 && whole != nil {
			n := len(whole) - 4
			sum = ", checksum wrong"
			if crc32.Checksum(whole[:n], castagnoli) == binary.LittleEndian.Uint32(whole[n:]) {
				sum = ", checksum right"
			}
		}
		return fmt.Sprintf("flags %x%s: %s", flags, sum, document(b[5:]))
	}
	return fmt.Sprintf("opcode %d: %x", op, b)
}

// document is a document as extended JSON, with what varies masked.
func document(b []byte) string {
	if len(b) >= 4 {
		if n := int(int32(binary.LittleEndian.Uint32(b))); n <= len(b) && n > 4 {
			b = b[:n]
		}
	}
	j, err := bson.MarshalExtJSON(bson.Raw(b), false, false)
	if err != nil {
		return fmt.Sprintf("%v: %x", err, b)
	}
	return mask(string(j))
}

var masks = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`(127\.0\.0\.1|localhost):\d+`), "HOST"},
	{regexp.MustCompile(`"(\$oid|\$date|payload|base64)":"[^"]*"`), `"$1":"…"`},
	{regexp.MustCompile(`\{"\$date":\{[^}]*\}\}`), `"DATE"`},
	{regexp.MustCompile(`\{"\$timestamp":\{[^}]*\}\}`), `"TIME"`},
	{regexp.MustCompile(`"(connectionId|keyId|counter|t|id|opid|electionId|setVersion|totalTimeMicros)":-?\d{2,}`), `"$1":N`},
	{regexp.MustCompile(`"(connectionId|keyId|counter|t)":-?\d+`), `"$1":N`},
	{regexp.MustCompile(`conn\d+`), "connN"},
	{regexp.MustCompile(`\d{15,}`), "N"}, // a cursor in an error's text
}

// mask replaces what differs between two runs.
func mask(s string) string {
	for _, m := range masks {
		s = m.pattern.ReplaceAllString(s, m.by)
	}
	return strings.ReplaceAll(s, "\n", " ")
}

func unpack(by byte, b []byte) ([]byte, error) {
	switch by {
	case 0:
		return b, nil
	case 1:
		return snappy.Decode(nil, b)
	case 2:
		r, err := zlib.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case 3:
		r, err := zstd.NewReader(nil)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return r.DecodeAll(b, nil)
	}
	return nil, fmt.Errorf("nobody knows this compressor")
}

func pack(by byte, b []byte) []byte {
	switch by {
	case 1:
		return snappy.Encode(nil, b)
	case 2:
		var out bytes.Buffer
		w := zlib.NewWriter(&out)
		_, _ = w.Write(b) // a buffer takes everything
		_ = w.Close()
		return out.Bytes()
	case 3:
		w, err := zstd.NewWriter(nil)
		if err != nil {
			panic(err) // no option, no error
		}
		return w.EncodeAll(b, nil)
	}
	return b
}
