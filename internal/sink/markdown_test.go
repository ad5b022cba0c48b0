package sink

import (
	"bytes"
	"strings"
	"testing"
)

// TestMarkdown: coverage, then a row for each open finding; no name breaks the table,
// opens a tag or becomes a link, a mention or code.
func TestMarkdown(t *testing.T) {
	var plain bytes.Buffer
	if err := sample().Markdown(&plain); err != nil {
		t.Fatal(err)
	}
	text := plain.String()
	if !strings.HasPrefix(text, "### mongoadvisor: 1 medium, 1 info, 1 muted") || !strings.Contains(text, "of the traffic was understood") {
		t.Error(text)
	}
	if n := strings.Count(text, "\n| "); n != 2+2 {
		t.Errorf("%d lines of a table, want its head and 2 findings:\n%s", n, text)
	}
	var b bytes.Buffer
	if err := hostile().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(b.String()) {
		bare := strings.NewReplacer(`\\`, "", `\|`, "", "\\`", "", `\[`, "", `\]`, "", `\*`, "", `\_`, "", `\#`, "", `\$`, "", `\~`, "").Replace(line)
		if strings.HasPrefix(line, "| ") && !strings.Contains(line, "---") && !strings.HasPrefix(line, "| severity") {
			if rows++; strings.Count(bare, "|") != 8 {
				t.Errorf("a row with %d bars: %s", strings.Count(bare, "|"), line)
			}
		}
		if strings.ContainsAny(bare, "<>`[]@") {
			t.Errorf("markup in %s", line)
		}
	}
	if rows == 0 {
		t.Error("no rows")
	}
}
