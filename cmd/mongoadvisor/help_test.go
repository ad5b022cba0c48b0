package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// TestHelpFits: the help of every command fits into 80 columns.
func TestHelpFits(t *testing.T) {
	n := 0
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		n++
		var out bytes.Buffer
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%s: %s", cmd.CommandPath(), line)
			}
		}
		for _, c := range cmd.Commands() {
			if c.Name() != "completion" { // cobra's own, with what shells want to be told
				look(c)
			}
		}
	}
	root := newRoot()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	look(root)
	if n < 10 {
		t.Errorf("%d commands", n)
	}
}
