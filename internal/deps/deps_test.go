// Package deps holds the test of who may import whom.
package deps

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	module = "mongoadvisor"
	driver = "go.mongodb.org/mongo-driver/v2"
	// bsoncore and wiremessage are below x/, which may change without notice.
	bsoncore    = driver + "/x/bsonx/bsoncore"
	wiremessage = driver + "/x/mongo/driver/wiremessage"
)

// ours lists what each package imports of this module, tests left out. The
// arrows go one way: bytes, operations, rules, findings. A package that is not
// here fails: say where it belongs.
var ours = map[string][]string{
	// forwarding and decoding: nothing the analysis does can reach them
	"proxy":          {},
	"wire":           {},
	"internal/regex": {},
	// small bounded summaries for rules
	"internal/sketch": {},
	// what every source makes and every rule reads
	"internal/op":      {"internal/regex"},
	"internal/session": {"wire", "internal/op"},
	// other ways in; none of them knows a rule
	"internal/source":      {},
	"internal/source/pcap": {"wire", "internal/op", "internal/session"},
	"internal/source/live": {"internal/source/pcap"},
	// the ways in that are no traffic: what a server has logged
	"internal/source/extjson":           {"internal/op"},
	"internal/source/shelltext":         {"internal/source/extjson"},
	"internal/source/logged":            {"internal/op"},
	"internal/source/logged/loggedtest": {"analyzers", "internal/corpus", "internal/engine", "internal/op", "internal/store"},
	"internal/source/mongolog":          {"internal/op", "internal/source/extjson", "internal/source/logged", "internal/source/shelltext"},
	"internal/source/profiler":          {"internal/op", "internal/source/extjson", "internal/source/logged"},
	// listeners of a replica set's members: changes host names in what passes
	"internal/topology": {"wire"},
	// certificates that follow their files
	"internal/certs": {},
	// the contract, the rules and what runs them
	"internal/analysis":              {"internal/op"},
	"internal/analysis/cases":        {"internal/op"},
	"internal/analysis/analysistest": {"internal/analysis", "internal/analysis/cases", "internal/engine", "internal/op", "internal/session", "internal/store", "wire"},
	"internal/engine":                {"internal/analysis", "internal/op"},
	"analyzers":                      {"internal/analysis", "internal/analysis/cases", "internal/op", "internal/regex", "internal/sketch"},
	// findings and the ways out
	"internal/store": {"internal/analysis", "internal/op"},
	// findings that outlive the process
	"internal/store/disk":   {"internal/analysis", "internal/store"},
	"internal/store/shared": {"internal/analysis", "internal/op", "internal/store"},
	"internal/sink":         {"internal/analysis", "internal/op", "internal/store"},
	"internal/web":          {"internal/analysis", "internal/op", "internal/store"},
	// a real server for the demo and the tests: knows neither proxy nor rules
	"internal/demo":                   {"internal/demo/mongod"},
	"internal/demo/mongod":            {},
	"internal/demo/mongod/mongodtest": {"internal/demo/mongod"},
	// tests only
	"internal/canary":  {},
	"internal/corpus":  {},
	"internal/dnstest": {},

	"internal/certs/certstest": {}, // also of suites and benchmark
	"internal/deps":            {},
	"docs":                     {},
	"e2e":                      {},
	"e2e/faults":               {},
	"e2e/apps/gotests":         {},
	"e2e/chaos":                {},
	"e2e/harness":              {},
	"e2e/suites":               {"e2e/harness", "internal/certs/certstest", "internal/demo/mongod"},
	"e2e/suites/wire":          {},
	"e2e/suites/go-app":        {},
	"bench":                    {"analyzers", "e2e/harness", "internal/certs/certstest", "internal/demo/mongod"},
	// the only place where all packages meet
	"cmd/mongoadvisor": {
		"analyzers", "internal/analysis", "internal/demo", "internal/demo/mongod", "internal/engine", "internal/op",
		"internal/source", "internal/source/pcap", "internal/source/live", "internal/source/mongolog", "internal/source/profiler", "internal/session", "internal/sink", "internal/store", "internal/store/disk", "internal/store/shared", "internal/topology", "internal/certs", "internal/web", "proxy",
	},
}

// testOnly are packages that only tests import.
var testOnly = []string{"internal/analysis/analysistest", "internal/corpus", "internal/dnstest", "internal/demo/mongod/mongodtest", "internal/source/logged/loggedtest"}

// libraries lists which packages import a library, tests left out. The longest
// prefix of an import path that is a key decides.
var libraries = map[string][]string{
	bsoncore:                         {"wire", "internal/op", "internal/session", "internal/topology", "internal/engine", "internal/analysis/cases", "internal/analysis/analysistest", "analyzers", "internal/source/extjson", "internal/source/shelltext", "internal/source/logged", "internal/source/mongolog", "internal/source/profiler"},
	wiremessage:                      {}, // its test compares wire with it
	driver + "/x":                    {},
	driver + "/bson":                 {"internal/source/extjson", "internal/source/shelltext", "internal/analysis/cases", "internal/store/shared", "internal/demo", "internal/demo/mongod", "e2e/suites", "e2e/suites/go-app", "e2e/suites/wire", "bench"},
	driver:                           {"internal/store/shared", "internal/demo", "internal/demo/mongod", "cmd/mongoadvisor", "e2e/suites", "e2e/suites/go-app", "e2e/suites/wire", "bench"}, // a client: the shared store, the demo, the suites and the benchmark have one
	"github.com/klauspost/":          {"wire", "internal/source", "e2e/suites/wire"},
	"github.com/prometheus/":         {"internal/web"},
	"github.com/fatih/color":         {"internal/sink"},
	"go.uber.org/zap":                {"internal/sink", "cmd/mongoadvisor"},
	"github.com/spf13/":              {"cmd/mongoadvisor"},
	"github.com/goccy/go-yaml":       {"cmd/mongoadvisor"},
	"github.com/google/go-cmp":       {},
	"github.com/gopacket/gopacket":   {"internal/source/pcap", "internal/source/live", "internal/analysis/analysistest", "bench"},
	"github.com/rogpeppe/":           {},
	"github.com/owenrumney/":         {}, // the schema of SARIF in tests
	"go.uber.org/goleak":             {},
	"github.com/pires/go-proxyproto": {"proxy"},
	"golang.org/x/net":               {"internal/source/live", "internal/dnstest"}, // BPF; DNS messages in tests
	"golang.org/x/sys":               {"proxy", "cmd/mongoadvisor"},
	"github.com/schollz/progressbar": {"cmd/mongoadvisor"},
	"github.com/coreos/go-systemd":   {"cmd/mongoadvisor"},
	"pgregory.net/rapid":             {},
}

// pkg is what `go list` tells of a package.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// name is the path below the module.
func (p pkg) name() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

// tests are the imports of its tests.
func (p pkg) tests() []string { return slices.Concat(p.TestImports, p.XTestImports) }

func list(t *testing.T) []pkg {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"/...")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImports(t *testing.T) {
	for _, p := range list(t) {
		allowed, known := ours[p.name()]
		if !known {
			t.Errorf("%s is not in the table: say what it may import", p.name())
			continue
		}
		for _, path := range p.Imports {
			if own, ok := strings.CutPrefix(path, module+"/"); ok {
				switch {
				case !slices.Contains(allowed, own):
					t.Errorf("%s must not import %s", p.name(), own)
				case slices.Contains(testOnly, own) && !slices.Contains(testOnly, p.name()):
					t.Errorf("%s imports %s, which is for tests", p.name(), own)
				}
				continue
			}
			if owners, external := library(path); external && !slices.Contains(owners, p.name()) {
				t.Errorf("%s must not import %s: only %v do", p.name(), path, owners)
			}
		}
	}
}

// Forwarding and decoding stay free of the rest in their tests too, so that
// they can be taken out as they are; and nothing reaches into the program.
func TestImportsOfTests(t *testing.T) {
	for _, p := range list(t) {
		for _, path := range p.tests() {
			own, ok := strings.CutPrefix(path, module+"/")
			if !ok || own == p.name() {
				continue
			}
			if p.name() == "proxy" || p.name() == "wire" {
				t.Errorf("the tests of %s must not import %s", p.name(), own)
			}
			if strings.HasPrefix(own, "cmd/") {
				t.Errorf("the tests of %s must not import %s: run the program instead", p.name(), own)
			}
		}
	}
}

// library finds who may import a path; external is false for the standard
// library, whose paths have no dot in their first part.
func library(path string) (owners []string, external bool) {
	first, _, _ := strings.Cut(path, "/")
	if !strings.Contains(first, ".") {
		return nil, false
	}
	longest := ""
	for prefix, names := range libraries {
		if strings.HasPrefix(path, prefix) && len(prefix) > len(longest) {
			longest, owners = prefix, names
		}
	}
	return owners, true
}
