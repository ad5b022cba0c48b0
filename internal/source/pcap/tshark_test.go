package pcap

import (
	"bytes"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mongoadvisor/internal/corpus"
	"mongoadvisor/internal/session"
)

// TestAgainstTshark: where tshark is installed, it counts the same messages by their
// opcodes in our captures.
func TestAgainstTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	own := corpus.Own(t)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if !strings.Contains(name, ".pcap") || name == "d_truncfile.pcap" { // of which tshark prints an error
			continue
		}
		out, err := exec.Command(tshark, "-r", own[name], "-d", "tcp.port==27117,mongo", "-Y", "mongo", "-T", "fields", "-e", "mongo.opcode").Output()
		if err != nil {
			t.Fatal(name, err)
		}
		want := map[string]int64{}
		for _, code := range bytes.FieldsFunc(out, func(r rune) bool { return r == ',' || r == '\n' }) {
			n, err := strconv.Atoi(string(code))
			if err != nil {
				t.Fatal(name, err)
			}
			want[strconv.Itoa(n)]++
		}
		played := play(packets(t, name), Config{})
		got := map[string]int64{}
		for d := range played.capture.stats.Messages {
			for i := range played.capture.stats.Messages[d] {
				if n := played.capture.stats.Messages[d][i].Load(); n > 0 {
					got[strconv.Itoa(int(session.OpCodes[i]))] += n
				}
			}
		}
		if !maps.Equal(want, got) {
			t.Errorf("%s: tshark counts %v, we %v", name, want, got)
		}
	}
}
