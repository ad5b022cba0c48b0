package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mongoadvisor/internal/store"
)

// TestErrorsOfTheFileShowNoSecret: wherever the error is, the lines it quotes show no
// address and no secret, and where it is can still be seen.
func TestErrorsOfTheFileShowNoSecret(t *testing.T) {
	for name, file := range map[string]string{
		"misspelt":   "alert:\n  webhook:\n    url: https://hooks.example/HIDDEN\n    secert: HIDDEN\n",
		"in braces":  "alert:\n  webhook: {url: \"https://hooks.example/HIDDEN\", secret: HIDDEN, x: 1}\n",
		"beside":     "alert: {slack: {url: https://hooks.example/HIDDEN}}\nremind: 5 minutes\n",
		"block":      "alert:\n  webhook:\n    secret: |\n      HIDDEN\n    x: 1\n",
		"list":       "alert:\n  alertmanager:\n    url:\n      - http://user:HIDDEN@am:9093\n      - http://am/HIDDEN\n  x: 1\n",
		"unfinished": "alert:\n  slack:\n    url: \"https://hooks.example/HIDDEN\n    more HIDDEN\nlimit: []\n",
		"comment":    "# secret: HIDDEN\nx: 1\n",
		"type":       "alert:\n  webhook:\n    secret: [HIDDEN]\n",
		"password":   "upstream: mongodb://user:HIDDEN@db1\nx: 1\n",
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		c := defaults(store.Staging)
		c.file = path
		err := c.read()
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if text := clean(err); strings.Contains(text, "HIDDEN") || !strings.Contains(text, path) || !strings.Contains(text, "^") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// TestErrorsOfTheFileShowTheirLine: what is no secret is quoted as it stands.
func TestErrorsOfTheFileShowTheirLine(t *testing.T) {
	for _, line := range []string{"remind: 5 minutes", "limit: [\"W01.max-elements=3\"]", "- rule: A01", "- {rule: A01, reason: known}", "alert:", "- \"-Q01\"", "log: {level: debug}", "upstream: db1:27017"} {
		if got := shown(line); got != line {
			t.Errorf("%q is shown as %q", line, got)
		}
	}
}
