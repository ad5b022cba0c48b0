package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mongoadvisor/internal/corpus"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sink"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden is what stays the same of a report: what was read, and what was found.
type golden struct {
	Exit     int              `json:"exit"`
	Stderr   string           `json:"stderr,omitempty"`
	Coverage op.Coverage      `json:"coverage"`
	Commands map[string]int64 `json:"commands"`
	Findings []string         `json:"findings"`
}

// analyzed runs analyze on files, and what is stable of its output.
func analyzed(t *testing.T, arguments ...string) (golden, []byte) {
	t.Helper()
	var out, errs bytes.Buffer
	exit := run(append([]string{"analyze", "--profile", "ci", "--format", "json"}, arguments...), &out, &errs)
	g := golden{Exit: exit, Stderr: errs.String()}
	for _, path := range arguments {
		g.Stderr = strings.ReplaceAll(g.Stderr, filepath.Dir(path)+"/", "")
	}
	if out.Len() == 0 {
		return g, nil
	}
	var r sink.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	g.Coverage, g.Commands, g.Findings = r.Coverage, r.Commands, []string{}
	for _, f := range r.Findings {
		g.Findings = append(g.Findings, fmt.Sprintf("%s %s %s %s %s ×%d", f.Rule, f.Reason, f.Severity, f.Namespace, strings.Join(f.Fields, ","), f.Count))
	}
	slices.Sort(g.Findings)
	return g, out.Bytes()
}

// compare holds a result against its golden file.
func compare(t *testing.T, name string, g golden) {
	t.Helper()
	b, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "golden", name+".json")
	if *update {
		if err := os.WriteFile(path, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./cmd/mongoadvisor -run TestGolden -update writes it", err)
	}
	if d := cmp.Diff(strings.TrimSpace(string(want)), string(b)); d != "" {
		t.Errorf("%s (go test ./cmd/mongoadvisor -run TestGolden -update writes it anew):\n%s", path, d)
	}
}

// TestGolden: what is read and found in each of our captures and logs, twice the same
// to the byte.
func TestGolden(t *testing.T) {
	own := corpus.Own(t)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		t.Run(name, func(t *testing.T) {
			g, first := analyzed(t, own[name])
			compare(t, name, g)
			if _, second := analyzed(t, own[name]); !bytes.Equal(first, second) {
				t.Errorf("a second run says something else:\n%s", cmp.Diff(string(first), string(second)))
			}
		})
	}
}

// TestGoldenTogether: all our captures as one run, in whatever order they are named.
// They overlap: each is a capture of a place of its own.
func TestGoldenTogether(t *testing.T) {
	var files []string
	for name, path := range corpus.Own(t) {
		if strings.Contains(name, ".pcap") {
			files = append(files, path)
		}
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	g, first := analyzed(t, files...)
	compare(t, "all-captures", g)
	if _, second := analyzed(t, files...); !bytes.Equal(first, second) {
		t.Errorf("a second run says something else:\n%s", cmp.Diff(string(first), string(second)))
	}
	slices.Reverse(files)
	if other, _ := analyzed(t, files...); other.Coverage.Messages != g.Coverage.Messages || other.Coverage.Operations != g.Coverage.Operations {
		t.Errorf("in another order: %d messages, %d operations", other.Coverage.Messages, other.Coverage.Operations)
	}
}

// TestGoldenOthers: the same for the captures and logs of others.
func TestGoldenOthers(t *testing.T) {
	dir := corpus.Others(t)
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		folder := filepath.Base(filepath.Dir(path))
		if strings.HasPrefix(folder, "selfmade") {
			continue
		}
		t.Run(folder+"/"+filepath.Base(path), func(t *testing.T) {
			g, _ := analyzed(t, path)
			compare(t, folder+"_"+filepath.Base(path), g)
		})
	}
}

// TestFormsAreOneWorkload: the same workload in another form of capture, or compressed
// on the wire, gives the same commands and findings.
func TestFormsAreOneWorkload(t *testing.T) {
	own := corpus.Own(t)
	for first, others := range map[string][]string{
		"plain.pcap": {"d_bigendian.pcap", "d_vlan.pcap", "d_qinq.pcap", "snappy.pcap", "zlib.pcap", "zstd.pcap"},
		"nano.pcap":  {"any_sll.pcap", "any_sll2.pcap", "ipv6.pcap", "pcapng_dumpcap.pcapng"},
	} {
		want, _ := analyzed(t, own[first])
		if len(want.Commands) == 0 || want.Coverage.Messages == 0 {
			t.Fatalf("%s: %+v", first, want)
		}
		for _, name := range others {
			got, _ := analyzed(t, own[name])
			if d := cmp.Diff(want.Findings, got.Findings); d != "" {
				t.Errorf("%s finds other things than %s: %s", name, first, d)
			}
			if d := cmp.Diff(want.Commands, got.Commands); d != "" {
				t.Errorf("%s has other commands than %s: %s", name, first, d)
			}
			if got.Coverage.Messages != want.Coverage.Messages || got.Coverage.Ratio != 1 {
				t.Errorf("%s: %d messages, %s has %d", name, got.Coverage.Messages, first, want.Coverage.Messages)
			}
		}
	}
}
