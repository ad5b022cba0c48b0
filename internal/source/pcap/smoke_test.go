package pcap

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"mongoadvisor/internal/op"
)

func TestSmoke(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/data/*/*.pcap*")
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		ops := 0
		c := New(Config{Emit: func(o *op.Operation) {
			if o.Command != op.Notice {
				ops++
			}
		}})
		lane := c.Lane()
		r, err := NewFile(f)
		if err != nil {
			t.Error(name, err)
			continue
		}
		for {
			p, err := r.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Log(name, err)
				}
				break
			}
			lane.Feed(&p)
		}
		c.Close()
		v := c.Coverage()
		t.Logf("%-50s conns %d mid %d msgs %d dec %d und %v ops %d orph %d unans %d ratio %.2f %+v %s", filepath.Base(name), v.Connections, v.ConnectionsMidStream, v.Messages, v.Decoded, v.Undecoded, ops, v.RepliesUnpaired, v.RequestsUnanswered, v.Ratio, *v.Packets, c.Why())
	}
}
