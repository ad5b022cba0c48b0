package regex

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// row is one measured line of testdata/semantics.tsv.
type row struct{ form, class, bounds, note string }

func semanticRows(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile("testdata/semantics.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || f[0] == "form" {
			continue
		}
		if len(f) != 4 {
			t.Fatalf("%d fields, want 4: %q", len(f), line)
		}
		rows = append(rows, row{f[0], f[1], f[2], f[3]})
	}
	return rows
}

// TestSemantics compares Classify with the bounds that a server was seen to use.
func TestSemantics(t *testing.T) {
	checked := 0
	for _, r := range semanticRows(t) {
		if r.note != "" {
			continue
		}
		checked++
		t.Run(r.form, func(t *testing.T) {
			calls := spelled(t, r.form)
			switch r.class {
			case "ERROR":
				for _, c := range calls {
					if got := Classify(c.pattern, c.options); got.Reason != Invalid {
						t.Errorf("Classify = %+v, the server says %s", got, r.bounds)
					}
				}
			case "BOUNDED", "FULL-STRINGS":
				checkBounds(t, calls, r)
			default:
				t.Fatalf("class %s needs a note", r.class)
			}
		})
	}
	if checked < 85 {
		t.Errorf("only %d rows were compared", checked)
	}
}

func checkBounds(t *testing.T, calls []call, r row) {
	t.Helper()
	var want []string
	if err := json.Unmarshal([]byte(r.bounds), &want); err != nil {
		t.Fatalf("bounds %s: %v", r.bounds, err)
	}
	prefixes := map[string]bool{}
	for _, c := range calls {
		if c.value {
			prefixes[c.pattern] = true
			continue
		}
		got := Classify(c.pattern, c.options)
		prefixes[got.Prefix] = true
		if bounded := r.class == "BOUNDED"; bounded != (got.Prefix != "") {
			t.Errorf("Classify(%q, %q) = %+v, the server: %s", c.pattern, c.options, got, r.class)
		}
		if got.Reason == OK && got.Prefix == "" {
			t.Errorf("Classify(%q, %q) is ok without a prefix", c.pattern, c.options)
		}
	}
	for _, low := range want {
		if !prefixes[low] {
			t.Errorf("no prefix is the lower bound %q: %v", low, prefixes)
		}
	}
}

// call is one regular expression of a query, or a plain value beside it.
type call struct {
	pattern, options string
	value            bool
}

var (
	slashed   = regexp.MustCompile(`^/(.*)/([a-z]*)( \(leading space\))?$`)
	operators = regexp.MustCompile(`^\{\$regex:(?:'(.*?)'|/(.*)/([a-z]*))(?:,\$options:'([a-z]*)')?\}$`)
	listed    = regexp.MustCompile(`^\$(?:in|all):\[(.*)\]$`)
)

// spelled reads the query spellings of the table. The table escapes / as \/,
// which is harmless: the server was given the backslash too.
func spelled(t *testing.T, form string) []call {
	t.Helper()
	if m := slashed.FindStringSubmatch(form); m != nil {
		return []call{{pattern: m[1], options: m[2]}}
	}
	if m := operators.FindStringSubmatch(form); m != nil {
		return []call{{pattern: m[1] + m[2], options: m[3] + m[4]}}
	}
	m := listed.FindStringSubmatch(form)
	if m == nil {
		t.Fatalf("cannot read the form %s", form)
	}
	var calls []call
	for member := range strings.SplitSeq(m[1], ",") {
		if value, ok := strings.CutPrefix(member, `"`); ok {
			calls = append(calls, call{pattern: strings.TrimSuffix(value, `"`), value: true})
			continue
		}
		calls = append(calls, spelled(t, member)...)
	}
	return calls
}
