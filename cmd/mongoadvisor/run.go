package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
	"mongoadvisor/internal/topology"
)

// uriVariable is where most programs look for their connection string.
const uriVariable = "MONGODB_URI"

func newRun() *cobra.Command {
	c := defaults(store.CI)
	c.Listen, c.Web.ListenAddress, c.FailOn = "127.0.0.1:0", "", "high"
	c.Log.Level, c.Log.Format = "warn", "console"
	c.Analysis.FullRate = 0
	r := &gate{config: c}
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a test suite behind a proxy, and advise on what it did",
		Long: `run starts a proxy on a free port, then a command whose connection string leads
through it: ` + uriVariable + ` and each --env NAME, with user, password, database
and options as they were. When the command has ended, the report is printed on
standard error, and written to each --output.

The server is that of the variable's old value, --upstream, or with --mongod a
real mongod with empty data (found as for demo) that ends with the command.

Exit codes: that of the command when it fails; else 0, or 1 for findings at or
above --fail-on that are not in the baseline; 2 usage or configuration, 3 the
command never connected, 4 no server could be reached or started.`,
		Example: `  mongoadvisor run --mongod -- go test ./...
  mongoadvisor run --env DB_URL -- npm test
  mongoadvisor run --baseline known.json --output findings.sarif -- pytest`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("name the command to run, behind --: %s -- go test ./...", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.load(cmd); err != nil {
				return err
			}
			c.passing()
			if c.Output != "" && len(r.outputs) == 0 { // from the file or the environment
				r.outputs = []string{c.Output}
			}
			return r.run(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // what follows the command is the command's
	f.StringVar(&c.Upstream, "upstream", "", "server to forward to, as for proxy; without, that of the variable")
	f.BoolVar(&r.mongod, "mongod", false, "start a real mongod with empty data for the command")
	f.Lookup("mongod").Annotations = map[string][]string{notFromEnv: {"MONGOADVISOR_MONGOD is where mongod is"}}
	f.StringArrayVar(&r.variables, "env", nil, "further environment variables with a connection string")
	f.StringArrayVar(&r.outputs, "output", nil, "file for the report, of a format by its end: .json, .sarif, .xml (JUnit), .html, .txt; may be given again")
	f.StringVar(&c.FailOn, "fail-on", c.FailOn, "severity from which findings make the exit code 1; empty for never")
	f.Var(&c.Shutdown.Grace, "shutdown.grace", "how long the command may go on after a signal")
	c.Edges.upstreamFlags(f)
	c.judging(f)
	return cmd
}

// gate is one run of a command behind a proxy.
type gate struct {
	config    *config
	mongod    bool
	variables []string // beside uriVariable
	outputs   []string
}

func (g *gate) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	for _, path := range g.outputs {
		if err := writable("output", path); err != nil {
			return err
		}
	}
	if err := writable("write-baseline", g.config.WriteBaseline); err != nil {
		return err
	}
	uris, err := g.uris()
	if err != nil {
		return err
	}
	up, txt, end, err := g.server(ctx, uris, stderr)
	if err != nil {
		return err
	}
	defer end()
	pairs := []pair{{listen: g.config.Listen, upstream: up}}
	p, err := newPipeline(g.config, newLogger(g.config, stderr), pairs)
	if err != nil {
		return err
	}
	if err := p.start(pairs); err != nil {
		return err
	}
	code, err := runChild(ctx, args, g.environment(uris, p.clientAddresses(), txt), stdin, stdout, stderr, time.Duration(g.config.Shutdown.Grace))
	g.config.Shutdown.Grace = 0 // whoever it left behind is not waited for
	p.stop(context.Background())
	if err != nil {
		return err
	}
	return g.conclude(p, args[0], code, stdout, stderr)
}

// uris are the connection strings of the variables that are set.
func (g *gate) uris() (map[string]clientURI, error) {
	out := map[string]clientURI{}
	for _, name := range g.names() {
		if name == "" || strings.ContainsAny(name, "= \x00") { // not quoted: it may have a value
			return nil, usage("env: want the name of a variable without its value, as --env DB_URL")
		}
		text := os.Getenv(name)
		if text == "" {
			continue
		}
		u, err := parseClientURI(name, text)
		if err != nil {
			return nil, err
		}
		out[name] = u
	}
	return out, nil
}

// names are the variables, each once.
func (g *gate) names() []string {
	out := []string{uriVariable}
	for _, name := range g.variables {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// server is what to forward to, and the options a DNS record has for it. end stops
// what was started for it.
func (g *gate) server(ctx context.Context, uris map[string]clientURI, stderr io.Writer) (up upstream, txt []topology.Option, end func(), err error) {
	end = func() {}
	from := "upstream"
	switch {
	case g.mongod && g.config.Upstream != "":
		return up, nil, end, usage("give either --mongod or --upstream")
	case g.mongod:
		server, err := startMongod(ctx, func(format string, args ...any) { printf(stderr, format+"\n", args...) })
		if err != nil {
			return up, nil, end, &exitError{exitUpstream, err}
		}
		address := server.Addr()
		return upstream{address: address, hosts: []string{address}}, nil, func() { _ = server.Stop() }, nil
	case g.config.Upstream != "":
		g.config.Topology = strings.HasPrefix(g.config.Upstream, srvScheme) || strings.Contains(g.config.Upstream, ",") || strings.Contains(g.config.Upstream, "replicaSet=")
		up, err = parseUpstream(g.config.Upstream, g.config.Topology)
	default:
		u, name := clientURI{}, ""
		for _, n := range g.names() {
			if v, ok := uris[n]; ok {
				u, name = v, n
				break
			}
		}
		if name == "" {
			return up, nil, end, usage("%s is not set: set it to the server's connection string, name the server with --upstream, or start one with --mongod", uriVariable)
		}
		for other, v := range uris {
			if !u.same(v) {
				return up, nil, end, usage("%s names another server than %s: empty the one that is not to be judged, or name the server of both with --upstream", other, name)
			}
		}
		from = name
		g.config.Topology = u.several()
		u.secure(&g.config.Edges)
		if up, err = parseUpstream(u.upstream(), g.config.Topology); err != nil {
			return up, nil, end, usage("%s: %w", name, err)
		}
	}
	if err == nil && up.srv.host != "" {
		ctx, cancel := context.WithTimeout(ctx, discoverTime)
		defer cancel()
		found, lookErr := up.srv.resolve(ctx)
		if lookErr != nil {
			return up, nil, end, &exitError{exitUpstream, fmt.Errorf("%s: %w; is the name right, and can DNS be asked from here?", from, lookErr)}
		}
		txt = found.Options
	}
	return up, txt, end, err
}

func startMongod(ctx context.Context, say func(string, ...any)) (*mongod.Process, error) {
	path, err := mongod.Find(ctx, mongod.Options{Progress: say})
	if err != nil {
		return nil, err
	}
	return mongod.Start(ctx, path, mongod.StartOptions{})
}

// environment is the command's: the variables lead through the listeners.
func (g *gate) environment(uris map[string]clientURI, listeners []string, txt []topology.Option) []string {
	env := os.Environ()
	for _, name := range g.names() {
		u := uris[name] // empty when the variable is new
		if g.mongod {
			u = u.fresh()
		}
		env = append(env, name+"="+u.through(listeners, txt, !g.config.Topology)) // the last one counts
	}
	return env
}

// clientAddresses are the listeners as clients are told of them.
func (p *pipeline) clientAddresses() []string {
	if p.members != nil {
		return p.members.addresses()
	}
	return p.addresses()
}

// conclude reports, and decides how the run ended.
func (g *gate) conclude(p *pipeline, command string, code int, stdout, stderr io.Writer) error {
	report := p.report()
	printf(stderr, "\n")
	err := errors.Join(report.Write(stderr, "text"), p.writeBaseline()) // reports point into the baseline
	for _, path := range g.outputs {
		c := *g.config
		c.Output, c.Format = path, formatOf(path)
		err = errors.Join(err, writeReport(&c, report))
	}
	err = errors.Join(err, g.annotate(report, stdout))
	switch {
	case code != 0: // the command's own failure is what has to be looked at first
		complain(stderr, err)
		complain(stderr, g.absent(p, command))
		return &exitError{code, fmt.Errorf("%s ended with exit code %d", command, code)}
	case err != nil:
		return err
	}
	return cmp.Or(g.absent(p, command), failing(g.config, report))
}

// absent says why no connection was judged; nil when one was.
func (g *gate) absent(p *pipeline, command string) error {
	if p.stats.Connections.Load() > 0 {
		return nil
	}
	if p.unreached.Load() > 0 {
		var servers []string
		for _, x := range p.pairs() {
			servers = append(servers, x.upstream.address)
		}
		return &exitError{exitUpstream, fmt.Errorf("no connection of %s reached the server at %s: is it running, and is that its address?", command, strings.Join(servers, ", "))}
	}
	return unreadable(fmt.Errorf("%s never connected through the proxy: does it take its connection string from %s? (--env names other variables)", command, strings.Join(g.names(), ", ")))
}

// annotate tells GitHub of the findings, when it runs there: annotations in the
// workflow's log, and the report in the summary of the step.
func (g *gate) annotate(report *sink.Report, stdout io.Writer) error {
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	err := report.Write(stdout, "github")
	path := os.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return err
	}
	f, openErr := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if openErr != nil {
		return errors.Join(err, fmt.Errorf("GITHUB_STEP_SUMMARY: %w", openErr))
	}
	return errors.Join(err, report.Markdown(f), f.Close())
}
