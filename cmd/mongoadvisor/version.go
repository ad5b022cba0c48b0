package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set at build time: -ldflags "-X main.version=1.2.3".
var version = "dev"

// revision is the commit the binary was built from, "" when not stamped.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

func versionLine() string {
	line := "mongoadvisor, version " + version
	if r := revision(); r != "" {
		line += " (revision " + r + ")"
	}
	return fmt.Sprintf("%s\n  go version: %s\n  platform:   %s/%s", line, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersion() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		Example: "  mongoadvisor version\n  mongoadvisor version --output json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch output {
			case "text":
				printf(cmd.OutOrStdout(), "%s\n", versionLine())
				return nil
			case "json":
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{
					"version": version, "revision": revision(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			return usage("--output %q: want text or json", output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	return cmd
}
