package analyzers_test

import (
	"strings"
	"testing"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
)

// TestFixesKeepTheMethod plays every data file: a fix that names a call for a
// write or a count names one that does the same, and no find in its place.
func TestFixesKeepTheMethod(t *testing.T) {
	files, err := analysistest.Files("testdata")
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]int{}
	for _, path := range files {
		f, err := cases.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		f.Limits, f.Findings = nil, nil
		reports, _, err := analysistest.Replay(f, analyzers.All())
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range reports {
			for _, r := range step {
				checked[check(t, path, r)]++
			}
		}
	}
	for _, command := range []string{"count", "update", "delete", "findAndModify"} {
		if checked[command] < 6 {
			t.Errorf("only %d fixes for %s were looked at", checked[command], command)
		}
	}
}

// check returns the command of the statement a fix is for, "" when the fix does
// not repeat its call.
func check(t *testing.T, path string, r analysis.Report) string {
	t.Helper()
	statements := r.Op.Statements()
	if r.Finding.Fix.Mongosh == "" || r.Finding.Statement >= len(statements) || !strings.HasPrefix(r.Rule.ID, "Q") {
		return ""
	}
	s := statements[r.Finding.Statement]
	last := r.Finding.Fix.Mongosh[strings.LastIndexByte(r.Finding.Fix.Mongosh, '\n')+1:]
	var want []string
	switch s.Command {
	case "count":
		want = []string{".countDocuments("}
	case "delete":
		want = []string{".deleteOne("}
		if s.Multi {
			want = []string{".deleteMany("}
		}
	case "update":
		want = []string{".updateOne(", ".replaceOne("}
		if s.Multi {
			want = []string{".updateMany("}
		}
	case "findAndModify":
		want = []string{".findOneAndUpdate(", ".findOneAndReplace(", ".findOneAndDelete("}
	default:
		return ""
	}
	for _, w := range want {
		if strings.Contains(last, w) {
			return s.Command
		}
	}
	if strings.Contains(last, ".find") || strings.Contains(last, ".update") || strings.Contains(last, ".delete") {
		t.Errorf("%s: the fix of %s for a %s (many: %v) is %s", path, r.Rule.ID, s.Command, s.Multi, last)
	}
	return ""
}
