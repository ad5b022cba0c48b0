package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"mongoadvisor/internal/store"
)

func newProxy() *cobra.Command {
	var c *config
	cmd := &cobra.Command{
		Use:   "proxy [LISTEN=UPSTREAM...]",
		Short: "Forward MongoDB traffic unchanged and advise on it",
		Long: `proxy listens, forwards every byte unchanged to the upstream and back, and
judges what passes. Each finding is one JSON record on standard output; what
the program says of itself goes to standard error. Clients connect to the
listener instead of the server, with directConnection=true when the server is
a member of a replica set; or --topology gives each member a listener, and names
those in the replies that tell clients where the members are.

Nothing the analysis does slows, changes or ends a connection: what it cannot
read or has no room for is passed on and counted.`,
		Example: `  mongoadvisor proxy --listen 127.0.0.1:27217 --upstream 127.0.0.1:27017
  mongoadvisor proxy 27217=db1:27017 27218=db2:27017 --profile production
  mongoadvisor proxy --upstream 'mongodb://db1:27017/?tls=true'
  mongoadvisor proxy --topology --upstream 'mongodb://db1,db2/?replicaSet=rs0'
  mongoadvisor proxy --topology --upstream mongodb+srv://cluster.example.net
  mongoadvisor proxy --upstream 127.0.0.1:27017 | jq .finding
  mongoadvisor proxy --upstream db1 --output report.txt   # at the end`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && cmd.Flags().Changed("listen") {
				return usage("give either LISTEN=UPSTREAM pairs or --listen and --upstream")
			}
			if err := c.load(cmd); err != nil {
				return err
			}
			pairs, err := c.pairs(args)
			if err != nil {
				return err
			}
			return runProxy(cmd.Context(), c, pairs, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c = (&kind{func() *config { return defaults(store.Staging) }, (*config).proxying}).configure(cmd.Flags())
	return cmd
}

// proxying registers what proxy takes.
func (c *config) proxying(f *pflag.FlagSet) {
	f.StringVar(&c.Listen, "listen", c.Listen, "address to listen on: host:port or unix:/path")
	f.StringVar(&c.Upstream, "upstream", "", "server to forward to: host:port, unix:/path or mongodb://host:port/?tls=true")
	f.BoolVar(&c.Topology, "topology", false, "give each member of the replica set a listener, and tell clients of those")
	f.StringVar(&c.TopologyAdvertise, "topology-advertise", "", "host clients reach the listeners under, or a template with {port}, {n} and {member}")
	f.IntVar(&c.TopologyMaxMembers, "topology-max-members", c.TopologyMaxMembers, "members that get a listener: as many ports from --listen on")
	c.Edges.flags(f)
	f.Var(&c.Shutdown.Grace, "shutdown.grace", "how long open connections may go on after SIGTERM")
	f.StringVar(&c.Format, "format", c.Format, "format of --output: "+formatHelp())
	f.StringVar(&c.Output, "output", "", "file for a report at the end; empty for none")
	c.flags(f)
	c.lifecycle(f)
}

// pairs are the listeners: the arguments, or --listen and --upstream.
func (c *config) pairs(args []string) ([]pair, error) {
	if len(args) == 0 {
		listen, err := listenAddress(c.Listen)
		if err != nil {
			return nil, err
		}
		up, err := parseUpstream(c.Upstream, c.Topology)
		return []pair{{listen: listen, upstream: up}}, err
	}
	if c.Upstream != "" {
		return nil, usage("give either LISTEN=UPSTREAM pairs or --listen and --upstream")
	}
	var out []pair
	seen := map[string]bool{}
	for _, a := range args {
		before, after, ok := strings.Cut(a, "=")
		if !ok {
			return nil, usage("%q: want LISTEN=UPSTREAM, as 27217=db1:27017", a)
		}
		listen, err := listenAddress(before)
		if err != nil {
			return nil, err
		}
		up, err := parseUpstream(after, false)
		if err != nil {
			return nil, err
		}
		if seen[listen] {
			return nil, usage("listen address %s is given twice", listen)
		}
		seen[listen] = true
		out = append(out, pair{listen: listen, upstream: up})
	}
	return out, nil
}

// runProxy serves until a signal. The first one drains, a second ends at once.
func runProxy(ctx context.Context, c *config, pairs []pair, stdout, stderr io.Writer) error {
	if err := c.writable(); err != nil {
		return err
	}
	if err := inherit(pairs); err != nil {
		return err
	}
	for _, x := range pairs {
		if c.Topology && (strings.HasPrefix(x.listen, unixPrefix) || strings.HasPrefix(x.upstream.address, unixPrefix)) {
			return usage("topology: members are reached over TCP; leave Unix sockets out")
		}
		if loops(x, pairs) {
			return usage("upstream %s is a listener of this proxy: connections would go round for ever", x.upstream.address)
		}
	}
	out := openOutputs(c, stdout, stderr)
	defer out.close()
	logger := out.logger
	p, err := newPipeline(c, logger, pairs, out.findings)
	if err != nil {
		return err
	}
	p.logs(out)
	signals := make(chan os.Signal, 2) // both are kept, however close they come
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	if err := p.start(pairs); err != nil {
		return err
	}
	tellManager(serving)
	select {
	case <-signals:
	case <-ctx.Done():
	}
	p.reloads.stop()
	tellManager(stopping)
	logger.Info("draining; a second signal ends at once", zap.Stringer("grace", &c.Shutdown.Grace))
	second, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-second.Done():
		}
	}()
	p.stop(second)
	return errors.Join(p.writeBaseline(), writeReport(c, p.report()))
}
