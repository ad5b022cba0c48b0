package main

import (
	"context"
	"errors"
	"io"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
)

func newReport() *cobra.Command {
	c := defaults(store.Staging)
	c.Profile, c.profileOpen = "", true
	address := ""
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Print the findings of a running process, or those that are kept",
		Long: `report prints what a running proxy, capture or analyze --follow has found so
far, or what is kept in --storage.path or --storage.uri, in any format. Findings
of processes that share a store are one report.

Exit codes: 0 done, 1 findings at or above --fail-on, 2 usage or configuration,
3 there are no findings to be read, 4 nobody answers there.`,
		Example: `  mongoadvisor report --url http://127.0.0.1:28217
  mongoadvisor report --storage.path /var/lib/mongoadvisor --output report.html
  MONGOADVISOR_STORAGE_URI_FILE=/run/secrets/uri mongoadvisor report
  mongoadvisor report --config.file mongoadvisor.yaml --fail-on high`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f := cmd.Flags(); f.Changed("url") && (f.Changed("storage.path") || f.Changed("storage.uri")) {
				return usage("give one of --url, --storage.path and --storage.uri")
			}
			if err := c.load(cmd); err != nil {
				return err
			}
			ctx, cancel := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer cancel()
			return runReport(ctx, c, address, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&address, "url", "", "web endpoint of a running process, as http://127.0.0.1:28217; user and password may stand in it, better in MONGOADVISOR_URL_FILE")
	c.Storage.sourceFlags(f)
	c.reporting(f)
	return cmd
}

// reporting registers what decides how a report is written.
func (c *config) reporting(f *pflag.FlagSet) {
	f.StringVar(&c.file, "config.file", "", "YAML file; every flag is a key of it")
	f.StringVar(&c.Profile, "profile", c.Profile, "report floors of kept findings; empty for those of the process that kept them")
	f.StringVar(&c.Format, "format", c.Format, "format of the report: "+formatHelp())
	f.StringVar(&c.Output, "output", "", "file for the report; standard output when empty")
	f.StringVar(&c.FailOn, "fail-on", "", "severity from which findings make the exit code 1; empty for never")
	f.StringVar(&c.Baseline, "baseline", "", "file of findings that are known: they are muted unless they get worse")
	f.StringVar(&c.WriteBaseline, "write-baseline", "", "file to write the findings to, as a baseline")
	f.Var(&c.FixedAfter, "fixed-after", "how long a finding must not be seen, while its collection is used, until it is fixed")
}

func runReport(ctx context.Context, c *config, address string, stdout io.Writer) error {
	if err := c.writable(); err != nil {
		return err
	}
	j, err := c.judgement(analyzers.All())
	if err != nil {
		return err
	}
	report, err := j.found(ctx, address)
	if err != nil {
		return err
	}
	report.Version, report.FailOn = version, c.testFloor()
	err = writeBaseline(c.WriteBaseline, report.Findings) // reports point into it
	if c.Output == "" {
		report.Baseline = c.baselineFile()
		err = errors.Join(err, report.Write(stdout, c.Format))
	}
	if err := errors.Join(err, writeReport(c, report)); err != nil {
		return err
	}
	return failing(c, report)
}

// found gets the report from where it is.
func (j *judgement) found(ctx context.Context, address string) (*sink.Report, error) {
	c := j.config
	switch {
	case address != "":
		report, err := fetchReport(ctx, address)
		if err != nil {
			return nil, err
		}
		if len(j.known) > 0 { // else that of the process holds
			report.Findings, report.BaselineGone = store.Accept(report.Findings, j.known)
		}
		report.Rules = ran(report.NotJudged)
		return report, nil
	case c.Storage.Path != "":
		return j.fromDisk(c.Storage.Path)
	case c.Storage.URI != "":
		return j.fromShared(ctx, c.Storage.URI)
	}
	return nil, usage("name where findings are: --url of a running process, --storage.path or --storage.uri")
}
