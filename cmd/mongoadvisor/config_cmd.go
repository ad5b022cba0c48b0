package main

import (
	"bytes"
	_ "embed"
	"os"

	"github.com/spf13/cobra"

	"mongoadvisor/internal/store"
)

// defaultsYAML is the commented file of `config print-defaults`; a test checks
// that it holds every key with the value in force.
//
//go:embed defaults.yaml
var defaultsYAML []byte

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Check a configuration file, or print one with the defaults", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigCheck(), &cobra.Command{
		Use: "print-defaults", Short: "Print a configuration file with every key and its default", Args: noArgs,
		Example: "  mongoadvisor config print-defaults > mongoadvisor.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(defaultsYAML)
			return err
		},
	})
	return cmd
}

func newConfigCheck() *cobra.Command {
	return &cobra.Command{
		Use: "check FILE...", Short: "Say what is wrong with configuration files, and where",
		Example: "  mongoadvisor config check mongoadvisor.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("want a file; see `%s --help`", cmd.CommandPath())
			}
			for _, path := range args {
				c := defaults(store.Staging)
				c.file = path
				if err := c.read(); err != nil {
					return err
				}
				if err := c.check(); err != nil {
					return usage("%s: %w%s", path, err, c.place(err))
				}
				if raw, err := os.ReadFile(path); err == nil && len(bytes.TrimSpace(raw)) == 0 {
					return usage("%s is empty; `mongoadvisor config print-defaults` prints one to start from", path)
				}
				printf(cmd.OutOrStdout(), "%s is valid\n", path)
			}
			return nil
		},
	}
}
