package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// errFaults is what the list above it says.
var errFaults = errors.New("the proxy made a difference")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		if errors.Is(err, errFaults) {
			os.Exit(1)
		}
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string) error {
	var (
		flags    = flag.NewFlagSet("suites", flag.ContinueOnError)
		short    = flags.Bool("short", false, "only tests that take some seconds, of the first version of each suite")
		out      = flags.String("out", "", "folder for the results, one file for each cell; empty for none")
		cells    = flags.String("cell", "", "only cells with these values, as topology=standalone,tls=ended")
		list     = flags.Bool("list", false, "print the cells and run none")
		table    = flags.Bool("table", false, "write docs/compatibility.md from e2e/suites/results")
		program  = flags.String("program", "", "a mongoadvisor that is built already; empty: it is built from this tree")
		cacheDir = flags.String("cache", "", "folder for what suites install; empty for one in the user's cache folder")
	)
	if err := flags.Parse(args); err != nil {
		return err
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	if *table {
		return writeTable(root)
	}
	f, err := parseFilter(*cells)
	if err != nil {
		return err
	}
	all, err := loadSuites(filepath.Join(root, "e2e", "suites"))
	if err != nil {
		return err
	}
	if all, err = pick(all, flags.Args()); err != nil {
		return err
	}
	todo := plan(all, f, *short)
	if *list {
		for _, t := range todo {
			fmt.Println(t.cell.command(*short))
		}
		return nil
	}
	if *cacheDir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		*cacheDir = filepath.Join(user, "mongoadvisor", "suites")
	}
	r, err := newRunner(ctx, root, *cacheDir, *program, *short)
	if err != nil {
		return err
	}
	return r.all(ctx, todo, *out)
}

// moduleRoot is the folder of go.mod.
func moduleRoot(ctx context.Context) (string, error) {
	b, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "mongoadvisor").Output()
	if err != nil {
		return "", fmt.Errorf("run it in the module mongoadvisor: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}
