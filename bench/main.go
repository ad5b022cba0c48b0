package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "-role" {
		fmt.Fprintln(os.Stderr, "bench:", role(os.Args[2:])) // it only ends by an error
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "\nbench:", err)
		os.Exit(1)
	}
}

// role is what this program is when a run starts it.
func role(args []string) error {
	switch {
	case args[0] == "canned":
		return serveCanned()
	case args[0] == "copy" && len(args) == 2:
		return serveCopy(args[1])
	}
	return fmt.Errorf("no role %q", args)
}

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "two short rounds: under three minutes, and only good for a look")
	write := flags.Bool("write", false, "write the table into docs/performance.md, and the plot beside it")
	rounds := flags.Int("rounds", 5, "how often every load runs on every target")
	span := flags.Duration("span", 2*time.Second, "how long one load runs")
	some := flags.String("targets", strings.Join(targets, ","), "what to compare")
	only := flags.String("loads", "", "only these loads, by name and separated by commas, and no idle connections; empty: all")
	noMongod := flags.Bool("canned", false, "leave the real mongod out")
	long := flags.Duration("soak", 0, "in the place of all else: random requests for so long, and the memory of mongoadvisor")
	capture := flags.Int64("capture", 0, "in the place of all else: analyze reads a capture of so many MB, three times")
	program := flags.String("program", "", "a mongoadvisor that is built already; empty: it is built from this tree")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *capture > 0 {
		return benchCapture(ctx, *program, *capture*1_000_000)
	}
	todo := plan{rounds: *rounds, span: *span, targets: strings.Split(*some, ","), idle: []int{1000, 10000}, mongod: !*noMongod}
	if *quick {
		todo.rounds, todo.span, todo.idle = 2, 500*time.Millisecond, []int{1000}
	}
	for _, name := range todo.targets {
		if !slices.Contains(targets, name) {
			return fmt.Errorf("no target %q; there are %s", name, strings.Join(targets, ", "))
		}
	}
	if *only != "" {
		todo.loads, todo.idle = strings.Split(*only, ","), nil
		for _, name := range todo.loads {
			if !slices.Contains(loadNames(), name) {
				return fmt.Errorf("no load %q; there are %s", name, strings.Join(loadNames(), ", "))
			}
		}
	}
	if todo.rounds < 1 || todo.span <= 0 {
		return errors.New("-rounds and -span: want more than 0")
	}
	descriptors, err := raiseDescriptors(24_000)
	if err != nil {
		return err
	}
	// two for each connection of a forwarder, and some for itself
	most := int(descriptors-1000) / 2
	for i, n := range todo.idle {
		todo.idle[i] = min(n, most-100)
	}
	p, err := prepare(ctx, *program, most)
	if p != nil {
		defer os.RemoveAll(p.dir)
	}
	if err != nil {
		return err
	}
	if *long > 0 {
		return soak(ctx, p, *long, os.Stdout)
	}
	r, err := run(ctx, p, todo)
	if err != nil {
		return err
	}
	r.Machine, r.Command, r.Date = machine(), "go run ./bench "+strings.Join(args, " "), time.Now().UTC().Format(time.DateOnly)
	r.print(os.Stdout)
	if *write {
		return r.write()
	}
	return nil
}
