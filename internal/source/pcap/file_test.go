package pcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// block is one of pcapng.
func block(kind uint32, body string) string {
	n := uint32(len(body) + 12)
	b := binary.LittleEndian.AppendUint32(nil, kind)
	b = append(binary.LittleEndian.AppendUint32(b, n), body...)
	return string(binary.LittleEndian.AppendUint32(b, n))
}

// TestDamagedFiles: an error tells what is wrong, and no byte of the file: the damage
// may have put any there. That of what the file comes from is told as it is.
func TestDamagedFiles(t *testing.T) {
	const (
		section = "\x4d\x3c\x2b\x1a\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"
		head    = "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x01\x00\x00\x00"
	)
	broken := errors.New("broken at 7")
	for name, tt := range map[string]struct {
		file io.Reader
		want string
	}{
		"another file":   {strings.NewReader("secret, and more"), "no capture file"},
		"interface":      {strings.NewReader(block(0x0a0d0d0a, section) + block(6, strings.Repeat("secr", 9))), "not present"},
		"capture length": {strings.NewReader(head + strings.Repeat("secr", 9)), "capture length exceeds"},
		"cut in a block": {strings.NewReader(block(0x0a0d0d0a, section) + block(0x77, strings.Repeat("x", 100))[:50]), io.ErrUnexpectedEOF.Error()},
		"beneath":        {io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken)), broken.Error()},
	} {
		f, err := NewFile(tt.file)
		if err == nil {
			_, err = f.Next()
		}
		value := bytes.ContainsAny([]byte(err.Error()), "0123456789") && name != "beneath"
		if !strings.Contains(err.Error(), tt.want) || value {
			t.Errorf("%s: %v", name, err)
		}
	}
}
