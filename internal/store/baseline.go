package store

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"mongoadvisor/internal/analysis"
)

// Known is one line of a baseline: a finding that is accepted as it is. Only
// Fingerprint and Severity decide; the rest is for whoever reads the file.
type Known struct {
	Fingerprint string            `json:"fingerprint"`
	Rule        string            `json:"rule"`
	Reason      string            `json:"reason"`
	Severity    analysis.Severity `json:"severity"`
	Namespace   string            `json:"namespace"`
	Message     string            `json:"message"`
}

// inBaseline reports whether a finding is known and no worse than it was.
func (s *Store) inBaseline(e *entry) bool {
	k, ok := s.known[e.fingerprint]
	return ok && s.config.Profile.effective(e) <= k.Severity
}

// Gone lists what the baseline has and the traffic did not show, in the order of
// the file.
func (s *Store) Gone() []Known {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []Known{}
	for _, k := range s.config.Baseline {
		if e, ok := s.entries[k.Fingerprint]; !ok || !s.shown(e) {
			out = append(out, k)
		}
	}
	return out
}

// Accept mutes findings that are known and no worse than they were, as a store with
// that baseline does. gone lists the known ones that are not among them.
func Accept(findings []Entry, baseline []Known) (out []Entry, gone []Known) {
	missing := map[string]Known{}
	for _, k := range baseline {
		missing[k.Fingerprint] = k
	}
	out = slices.Clone(findings)
	for i, e := range out {
		k, known := missing[e.Fingerprint]
		delete(missing, e.Fingerprint)
		if known && e.Severity <= k.Severity && e.Status != Muted {
			out[i].Status, out[i].MutedBy = Muted, mutedByBaseline
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return cmp.Compare(statusRank(a.Status), statusRank(b.Status)) })
	for _, k := range baseline {
		if _, ok := missing[k.Fingerprint]; ok {
			gone = append(gone, k)
		}
	}
	return out, gone
}

// baseline is the file.
type baseline struct {
	Schema   int     `json:"schema"`
	Findings []Known `json:"findings"`
}

// WriteBaseline writes what is shown as a baseline: one line per finding, in an
// order that does not change from run to run, so that a diff can be read. What is
// muted by a comment or the configuration is not in it.
func WriteBaseline(w io.Writer, findings []Entry) error {
	var known []Known
	for _, e := range findings {
		if e.Status == Fixed || e.Status == Muted && e.MutedBy != mutedByBaseline {
			continue
		}
		known = append(known, Known{e.Fingerprint, e.Rule, e.Reason, e.Severity, e.Namespace, e.Message})
	}
	slices.SortFunc(known, func(a, b Known) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Reason, b.Reason), strings.Compare(a.Fingerprint, b.Fingerprint))
	})
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"schema\": %d, \"findings\": [", Schema)
	for i, k := range known {
		if i > 0 {
			b.WriteByte(',')
		}
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(k); err != nil {
			return err
		}
		b.WriteByte('\n')
		b.Write(bytes.TrimSpace(line.Bytes()))
	}
	b.WriteString("\n]}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// mutedByBaseline is what a finding of the baseline says of itself.
const mutedByBaseline = "baseline"

// ReadBaseline reads a baseline file. Errors name the file and the finding.
func ReadBaseline(path string) ([]Known, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f baseline
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s is no baseline: %w; --write-baseline makes one", path, worded(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is no baseline: something follows its end; --write-baseline makes one", path)
	}
	if f.Schema != Schema {
		return nil, fmt.Errorf("%s: schema %d is not known; this version writes and reads %d", path, f.Schema, Schema)
	}
	seen := map[string]bool{}
	for i, k := range f.Findings {
		if b, err := hex.DecodeString(k.Fingerprint); err != nil || len(b) != 8 {
			return nil, fmt.Errorf("%s: findings[%d].fingerprint %q: want 16 hexadecimal digits", path, i, k.Fingerprint)
		}
		if seen[k.Fingerprint] {
			return nil, fmt.Errorf("%s: findings[%d].fingerprint %s is there twice", path, i, k.Fingerprint)
		}
		seen[k.Fingerprint] = true
	}
	return f.Findings, nil
}

// worded says in words of files what the decoder says in those of Go.
func worded(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it is cut off")
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s is of another kind, a JSON %s", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("it is a JSON %s", kind.Value)
	}
	return err
}
