package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source"
	"mongoadvisor/internal/store"
)

func newAnalyze() *cobra.Command {
	var c *config
	var follow bool
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Advise on captured traffic, a server's log, or its profiler",
		Long: `analyze reads packet captures (pcap and pcapng, as tcpdump, dumpcap and
Wireshark write them), the log of mongod with its slow queries, or an export of
system.profile, out of gzip and zstd if they are in it, and prints the report.
"-" is standard input. Several files are one run, in the order of time.

What could not be read is told first: a thin report never passes for a clean
one.

Exit codes: 0 done, 1 findings at or above --fail-on, 2 usage or configuration,
3 an input is unreadable, empty, cut off, or holds nothing that could be
decoded.`,
		Example: `  mongoadvisor analyze capture.pcap
  mongoadvisor analyze rotated.pcap*.gz --format json > report.json
  ssh db1 tcpdump -i any -s 0 -w - port 27017 | mongoadvisor analyze -
  mongoadvisor analyze /var/log/mongodb/mongod.log*
  mongoadvisor analyze --follow /var/log/mongodb/mongod.log
  mongoexport -d shop -c system.profile | mongoadvisor analyze -
  mongoadvisor analyze nightly.pcapng --profile ci --fail-on high`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("name the files to analyse, or - for standard input; see `%s --help`", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if follow {
				// from other defaults, which are not known before the flags are
				c.kind, c.given = &kind{followDefaults, (*config).analyzing}, givenBy(cmd.Flags())
				var err error
				if c, err = c.again(); err != nil {
					return err
				}
				if len(args) != 1 || args[0] == source.Stdin {
					return usage("--follow takes one log file")
				}
				ctx, cancel := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
				defer cancel()
				return runFollow(ctx, c, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			if err := c.load(cmd); err != nil {
				return err
			}
			var live []string
			cmd.Flags().Visit(func(x *pflag.Flag) {
				if strings.HasPrefix(x.Name, "alert.") || strings.HasPrefix(x.Name, "storage.") {
					live = append(live, "--"+x.Name)
				}
			})
			if len(live) > 0 {
				return usage("%s: only with --follow; what files show is in the report, and neither sent nor kept", strings.Join(live, ", "))
			}
			return runAnalyze(cmd.Context(), c, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c = (&kind{analyzeDefaults, (*config).analyzing}).configure(cmd.Flags())
	cmd.Flags().BoolVar(&follow, "follow", false, "go on with a log as it grows, over its rotation, with the proxy's log of findings and endpoints")
	return cmd
}

// analyzeDefaults are the defaults of analyze.
func analyzeDefaults() *config {
	c := defaults(store.Staging)
	c.Log.Level, c.Log.Format = "warn", "console"
	return c
}

// followDefaults are those of analyze --follow: the log of every service.
func followDefaults() *config { return defaults(store.Staging) }

// analyzing registers what analyze takes.
func (c *config) analyzing(f *pflag.FlagSet) {
	c.captured(f, "default 27017 to 27019, and every connection that speaks MongoDB")
	f.StringVar(&c.Format, "format", c.Format, "format of the report: "+formatHelp())
	f.StringVar(&c.Output, "output", "", "file for the report; standard output when empty")
	f.StringVar(&c.FailOn, "fail-on", "", "severity from which findings make the exit code 1; empty for never")
	c.judging(f)
	c.serving(f)
	c.announcing(f)
	c.lifecycle(f)
}

// reader turns inputs of one kind into operations.
type reader interface {
	// read reads all of them. What ends before its end is not an error.
	read() error
	source() op.Source
	has() op.Has
	coverage() op.Coverage
	// why words the likely reason when nothing was decoded.
	why() string
	// unfinished are the inputs that could not be read to their ends.
	unfinished() []error
}

func newReader(c *config, inputs []*input, emit func(*op.Operation)) (reader, error) {
	if inputs[0].kind == kindCapture {
		return newCaptures(c, inputs, emit)
	}
	return newRecords(inputs, emit), nil
}

// gcPercent is the garbage collector's pace while files are read: memory that a
// machine has for some seconds, for a few percent of the time.
const gcPercent = 400

func runAnalyze(ctx context.Context, c *config, names []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := c.writable(); err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	context.AfterFunc(ctx, cancel) // a second signal ends it at once
	inputs, err := examineUntil(ctx, names, stdin)
	if err != nil {
		return err
	}
	c.limitMemory()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	a, err := newAdvisor(c, newLogger(c, stderr), nil)
	if err != nil {
		return err
	}
	defer a.sinks.Close()
	judges := newConveyor(a.engine.Judge)
	r, err := newReader(c, inputs, func(o *op.Operation) {
		a.count(o)
		judges.put(o)
	})
	if err != nil {
		return err
	}
	stop := watchProgress(stderr, inputs)
	interrupt := context.AfterFunc(ctx, func() {
		for _, in := range inputs {
			in.interrupt()
		}
	})
	err = r.read()
	interrupt()
	judges.close()
	stop()
	if err != nil {
		return err
	}
	report := a.report(r.source(), r.has(), r.coverage())
	unfinished := r.unfinished()
	if ctx.Err() != nil && !slices.Equal(names, []string{source.Stdin}) { // a pipe has no other end
		unfinished = append(unfinished, errors.New("interrupted: the report is about what was read until then"))
	}
	for _, e := range unfinished {
		printf(stderr, "mongoadvisor: %v\n", e)
	}
	err = a.writeBaseline() // reports point into it
	if c.Output != "" {
		err = errors.Join(err, writeReport(c, report))
	} else {
		report.Baseline = c.baselineFile()
		err = errors.Join(err, report.Write(stdout, c.Format))
	}
	if err != nil {
		return err
	}
	switch {
	case report.Coverage.Operations == 0 && r.why() != "":
		return unreadable(fmt.Errorf("nothing was decoded: %s", r.why()))
	case len(unfinished) > 0:
		return unreadable(errors.New("")) // said above
	}
	return failing(c, report)
}
