// Package corpus finds the captures and logs that tests read: those in the tree, and
// those of others, which are read where they lie.
package corpus

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// dataVariable names the folder with the captures and logs of others.
const dataVariable = "MONGOADVISOR_TESTDATA"

// absentVariable says that the folder is absent on purpose.
const absentVariable = "MONGOADVISOR_NO_TESTDATA"

// Root is the root of the tree.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Others is the folder with captures and logs that were published under other
// licences, one folder for each project: next to the tree in shared/data, or where
// MONGOADVISOR_TESTDATA says. Without it the test is skipped, and fails when CI is set,
// unless MONGOADVISOR_NO_TESTDATA says that it cannot be had.
func Others(t testing.TB) string {
	t.Helper()
	dir := os.Getenv(dataVariable)
	if dir == "" {
		dir = filepath.Join(Root(), "..", "shared", "data")
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return dir
	}
	if os.Getenv("CI") != "" && os.Getenv(absentVariable) == "" {
		t.Fatalf("no captures and logs of others in %s: name their folder in %s, or set %s", dir, dataVariable, absentVariable)
	}
	t.Skipf("no captures and logs of others in %s; %s names another folder", dir, dataVariable)
	return ""
}

// Own are the files of our own captures and logs, by name.
func Own(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, dir := range []string{"internal/session/testdata", "internal/source/pcap/testdata", "internal/source/mongolog/testdata", "internal/source/profiler/testdata"} {
		for _, pattern := range []string{"*.pcap", "*.pcapng", "*.log", "*.jsonl"} {
			files, err := filepath.Glob(filepath.Join(Root(), dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				out[filepath.Base(f)] = f
			}
		}
	}
	return out
}
