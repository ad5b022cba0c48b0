package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"mongoadvisor/internal/store"
)

// TestPrecedence: flag over environment over file over default.
func TestPrecedence(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(file, []byte("profile: ci\nlog: {level: debug}\nrules: [\"-Q01\"]\nremind: 5m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "s")
	if err := os.WriteFile(secret, []byte("7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MONGOADVISOR_LOG_LEVEL", "warn")
	t.Setenv("MONGOADVISOR_RULES", "-Q02,-Q03")
	t.Setenv("MONGOADVISOR_METRICS_MAX_FINDINGS_FILE", secret)
	c := defaults(store.Staging)
	cmd := &cobra.Command{}
	c.flags(cmd.Flags())
	if err := cmd.ParseFlags([]string{"--config.file", file, "--remind", "7m", "--log.format", "console"}); err != nil {
		t.Fatal(err)
	}
	if err := c.load(cmd); err != nil {
		t.Fatal(err)
	}
	if c.Profile != "ci" || c.Log.Level != "warn" || c.Log.Format != "console" || c.Remind.String() != "7m0s" ||
		len(c.Rules) != 2 || c.Metrics.MaxFindings != 7 || c.Web.ListenAddress != "127.0.0.1:28217" {
		t.Errorf("%+v", c)
	}
}
