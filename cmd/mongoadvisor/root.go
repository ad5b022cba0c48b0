package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// run is main without the process: for tests, too.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	complain(stderr, err)
	return exitCode(err)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "mongoadvisor",
		Short: "Watch MongoDB traffic and name the anti-patterns in it",
		Long: `mongoadvisor watches MongoDB traffic and tells its owners which schema and
query anti-patterns it carries, with evidence and a fix that names their own
collections and fields.

Start with a real MongoDB and a shop full of anti-patterns:
  mongoadvisor demo

Put it in front of a server of your own, and connect to the proxy instead:
  mongoadvisor proxy --listen 127.0.0.1:27217 --upstream 127.0.0.1:27017

Or beside it, with what was captured:
  mongoadvisor analyze capture.pcap

Or behind the test suite of a build:
  mongoadvisor run --mongod -- go test ./...

Exit codes: 0 done, 1 findings at or above --fail-on, 2 usage or configuration,
3 input unreadable, empty or nothing decoded, 4 no server could be reached or
started.`,
		SilenceUsage: true, SilenceErrors: true,
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w; see `%s --help`", flagError(err), cmd.CommandPath())
	})
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(newProxy(), newAnalyze(), newCapture(), newRun(), newReport(), newDemo(), newRules(), newConfig(), newHealthcheck(), newVersion())
	root.SetUsageTemplate(strings.NewReplacer( // 80 columns
		"Flags.FlagUsages ", "Flags.FlagUsagesWrapped 80 ", "for more information about a command", "for more about one",
	).Replace(root.UsageTemplate()))
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SuggestionsMinimumDistance = 2
	strict(root)
	return root
}

// knownCommand refuses what is none, and says what may have been meant.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usage("unknown command %q; did you mean `%s %s`?", args[0], cmd.CommandPath(), strings.Join(near, "`, `"+cmd.CommandPath()+" "))
	}
	return usage("unknown command %q; see `%s --help`", args[0], cmd.CommandPath())
}

// strict makes the commands that cobra adds refuse what they do not know, too.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.Args, cmd.RunE = knownCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range cmd.Commands() {
				shell.Args = noArgs
			}
		case "help":
			show := cmd.Run
			cmd.Run, cmd.RunE = nil, func(cmd *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return usage("no help for %q; see `%s --help`", strings.Join(args, " "), root.CommandPath())
				}
				show(cmd, args)
				return nil
			}
		}
	}
}

// noArgs is cobra.NoArgs with a message that says the way out.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("unexpected argument %q; see `%s --help`", args[0], cmd.CommandPath())
	}
	return nil
}

func printf(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format, args...) }
