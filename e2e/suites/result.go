package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// result is the file of a cell in results/.
type result struct {
	Suite      string         `json:"suite"`
	Driver     string         `json:"driver"`
	Package    string         `json:"package"`
	Version    string         `json:"version"`
	Topology   string         `json:"topology"`
	TLS        string         `json:"tls"`
	Compressor string         `json:"compressor"`
	Login      string         `json:"login"`
	Server     string         `json:"server"` // "mongod 6.0.5"
	Date       string         `json:"date"`   // of the run
	Short      bool           `json:"short,omitempty"`
	Same       map[string]int `json:"same"` // outcome, and how many tests have it each way
	Unsteady   []seen         `json:"unsteady,omitempty"`
	Differ     []seen         `json:"differ,omitempty"`
	Problem    string         `json:"problem,omitempty"` // why the suite did not get through
	Judged     *judged        `json:"judged,omitempty"`
}

func (r result) cell() cell {
	return cell{r.Suite, r.Version, r.Topology, r.TLS, r.Compressor, r.Login}
}

// equal is how many tests did the same each way, skipped ones left out.
func (r result) equal() int { return r.Same[pass] + r.Same[fail] + len(r.Unsteady) }

// faults are the reasons for exit code 1.
func (r result) faults(s suite) []string {
	var out []string
	if n := r.Same[fail]; n > 0 && !s.Foreign {
		out = append(out, fmt.Sprintf("%d tests fail both ways", n))
	}
	for _, s := range r.Differ {
		out = append(out, fmt.Sprintf("%s: direct %v, proxied %v", s.ID, s.Direct, s.Proxied))
	}
	if r.Problem != "" {
		out = append(out, r.Problem)
	}
	if j := r.Judged; j != nil {
		if j.Panics > 0 {
			out = append(out, fmt.Sprintf("%d panics of rules", j.Panics))
		}
		if missed := j.missed(r.Compressor != off); missed != "" && !s.Odd && r.TLS != tlsPassed {
			out = append(out, "not seen by the rules: "+missed)
		}
	}
	return out
}

func (r result) write(dir string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, r.cell().file()), append(b, '\n'), 0o644)
}

// readResults reads a folder of them, sorted by file name.
func readResults(dir string) ([]result, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []result
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var r result
		if err := json.Unmarshal(b, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if name := filepath.Base(file); name != r.cell().file() {
			return nil, fmt.Errorf("%s holds the result of %s", file, r.cell().file())
		}
		all = append(all, r)
	}
	return all, nil
}
