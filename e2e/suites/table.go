package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const page = "docs/compatibility.md"

// writeTable renders the committed results.
func writeTable(root string) error {
	b, err := renderPage(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, page), b, 0o644)
}

func renderPage(root string) ([]byte, error) {
	dir := filepath.Join(root, "e2e", "suites")
	suites, err := loadSuites(dir)
	if err != nil {
		return nil, err
	}
	results, err := readResults(filepath.Join(dir, "results"))
	if err != nil {
		return nil, err
	}
	return renderTable(suites, results)
}

const intro = `# Compatibility

<!-- Made by ` + "`go run ./e2e/suites -table`" + ` from e2e/suites/results: a test compares. -->

Each row is work that was done twice on a real server with empty data: directly, and through
` + "`mongoadvisor proxy`" + `. What each test gave was compared, test by test. Only what was run is here.

- **tests**: all of the suite's, or its short selection.
- **same**: tests that passed both ways. **fail both ways**: tests that also fail without the proxy,
  because the server is older than what they ask for, the machine is a container, or the driver's
  module comes without the specifications' files; of our own suites none may.
- **skipped**: tests that do not apply to the topology or the server, both ways.
- **differ**: tests that gave something else through the proxy, in each of four runs each way.
- **unsteady**: tests that differed first and gave the same when they ran again; counted as same.
- **seen**: how much of what passed through the proxy was read and judged. What is missing is
  malformed on purpose, encrypted from client to server, longer than what is kept
  of a message and no batch of documents, or larger than 4 MiB and compressed ([limits.md](limits.md));
  anything else fails the run.

That no driver went round the proxy was looked at while it ran.

TLS *passed* goes through the proxy to the server, which the proxy cannot look into; *ended* is TLS
that ends at the proxy, which has TLS of its own with the server. A *member* is a replica set's
member by ` + "`directConnection=true`" + `; *replica-set* has three members, with ` + "`--topology`" + `.

`

// tail has what the suites do not show by themselves; TestPageNamesTests looks
// whether the tests it names are there.
const tail = `## What else was run

| what | which | seen by |
| --- | --- | --- |
| server | %s | all suites |
| operating system | Linux, x86_64 | all tests |
| replica set | a change of primary, with each compressor | ` + "`internal/topology` TestRealSet" + ` |
| replica set | a member that joins, and one that leaves | ` + "`internal/topology` TestRealReconfig" + ` |

Without a row, a version or a combination has not been tried. The gate (` + "`.ci/run`" + `) runs the short
selection of go-app, node, pymongo and wire on a standalone server, and of go-app, node and wire on a
replica set: Java, the shell and the Go driver's own tests take longer to install than to run.
`

// renderTable makes the page. Results of which the suite is gone are an error, so
// that the page says nothing that cannot be run.
func renderTable(suites []suite, results []result) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(intro)
	left := slices.Clone(results)
	for _, s := range suites {
		var rows, commands bytes.Buffer
		for _, c := range s.cells() {
			i := slices.IndexFunc(left, func(r result) bool { return r.cell() == c })
			if i < 0 {
				continue
			}
			r := left[i]
			left = slices.Delete(left, i, i+1)
			anchor := strings.TrimSuffix(strings.NewReplacer("_", "-", ".", "-").Replace(c.file()), "-json")
			tests := "all"
			if r.Short {
				tests = "short"
			}
			fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s | %s | [%d](#%s) | %d | %d | %d | %d | %s |\n", c.Version, c.Topology, word(c.TLS), word(c.Compressor),
				word(c.Login), tests, r.Same[pass]+len(r.Unsteady), anchor, r.Same[fail], r.Same[skip], len(r.Differ), len(r.Unsteady), r.Judged.percent())
			fmt.Fprintf(&commands, "- <a id=\"%s\"></a>`%s`\n", anchor, c.command(r.Short))
		}
		if rows.Len() == 0 {
			continue
		}
		name := s.Driver
		if s.Package != "" {
			name += " (`" + s.Package + "`)"
		}
		fmt.Fprintf(&b, "## %s\n\nSuite `%s`: %s.\n\n", name, s.Name, s.About)
		b.WriteString("| version | topology | TLS | compression | login | tests | same | fail both ways | skipped | differ | unsteady | seen |\n")
		b.WriteString("| --- | --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
		fmt.Fprintf(&b, "%s\n%s\n", &rows, &commands)
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("%s is of a cell that no suite.json has", left[0].cell().file())
	}
	fmt.Fprintf(&b, tail, strings.Join(servers(results), ", "))
	return b.Bytes(), nil
}

func servers(results []result) []string {
	var all []string
	for _, r := range results {
		all = append(all, r.Server)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func word(s string) string {
	if s == off {
		return "–"
	}
	return s
}

// percent never rounds up to 100.
func (j *judged) percent() string {
	switch {
	case j == nil:
		return "–"
	case j.Ratio == 1:
		return "100 %"
	}
	return fmt.Sprintf("%.2f %%", float64(int(j.Ratio*10000))/100)
}
