package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Where a full run is kept, below the module's folder.
const (
	pageFile   = "docs/performance.md"
	plotFile   = "docs/performance.svg"
	figureFile = "bench/results.json"
)

// The table stands between these lines of the page.
const (
	tableStart = "<!-- written by go run ./bench -write -->\n"
	tableEnd   = "<!-- end of what bench writes -->\n"
)

// write puts the table into the page, and the plot and all figures beside it.
func (r *results) write() error {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "mongoadvisor").Output()
	if err != nil {
		return fmt.Errorf("run it in the module mongoadvisor: %w", err)
	}
	root := strings.TrimSpace(string(out))
	page := filepath.Join(root, pageFile)
	b, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	if b, err = replaceTable(b, r.markdown()); err != nil {
		return fmt.Errorf("%s: %w", pageFile, err)
	}
	figures, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(page, b, 0o644),
		os.WriteFile(filepath.Join(root, plotFile), r.plot(), 0o644),
		os.WriteFile(filepath.Join(root, figureFile), append(figures, '\n'), 0o644),
	)
}

func replaceTable(page, table []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(tableStart))
	_, after, ok2 := bytes.Cut(rest, []byte(tableEnd))
	if !ok || !ok2 {
		return nil, fmt.Errorf("want the lines %q and %q", strings.TrimSpace(tableStart), strings.TrimSpace(tableEnd))
	}
	return bytes.Join([][]byte{before, []byte(tableStart), table, []byte(tableEnd), after}, nil), nil
}

// markdown is the table for the page.
func (r *results) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n`%s`, %s, %s. %d rounds of %v.\n", r.Command, r.Date, r.Machine, r.Rounds, r.Span)
	for _, upstream := range []struct{ name, title string }{{canned, "Against an upstream that answers from memory"}, {onMongod, "Against mongod 6.0.5, through the Go driver"}} {
		title := "\n### " + upstream.title + "\n"
		r.each(func(of string, l load, rows []row) {
			if of != upstream.name {
				return
			}
			b.WriteString(title)
			title = ""
			fmt.Fprintf(&b, "\n%s:\n\n| target | %s | × HAProxy | p50 µs | × HAProxy | p99 µs | p99.9 µs | µs CPU | × HAProxy | peak MiB |\n", sentence(l.about), l.unit)
			b.WriteString("| --- | ---: | --- | ---: | --- | ---: | ---: | ---: | --- | ---: |\n")
			for _, x := range rows {
				fmt.Fprintf(&b, "| %s | %.0f | %s | %d | %s | %d | %d | %s | %s | %s |\n", x.target, x.rate, x.rateRatio, x.p[0].Microseconds(), x.latency,
					x.p[1].Microseconds(), x.p[2].Microseconds(), micros(x.cpu), x.cpuRatio, mebibytes(x.peak))
			}
		})
	}
	b.WriteString("\n### Idle connections\n\n| target | connections | KiB each | descriptors each | descriptors left |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, name := range r.Targets {
		for _, i := range r.Idle[name] {
			if i.Fault != "" {
				fmt.Fprintf(&b, "| %s | %d | refused | – | – |\n", name, i.Connections)
				continue
			}
			fmt.Fprintf(&b, "| %s | %d | %.1f | %.2f | %d |\n", name, i.Connections, i.Each/1024, i.Descriptors, i.Left)
		}
	}
	b.WriteString("\n")
	return b.Bytes()
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func mebibytes(n int64) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", float64(n)/(1<<20))
}
