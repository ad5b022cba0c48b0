package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// passedOn are the signals that a child is told of.
var passedOn = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2}

// outputDelay is how long the output of processes that a child left behind is waited
// for.
const outputDelay = 2 * time.Second

// runChild runs a command and returns its exit code, as a shell tells it: 128 and the
// number of a signal that ended it. Signals are passed on; after one that asks it to
// end it has grace to do so. The error is of starting it.
func runChild(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer, grace time.Duration) (int, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = env, stdin, stdout, stderr, outputDelay
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, passedOn...)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 0, usage("%s", unstartable(args[0], err))
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var deadline <-chan time.Time
	for done := ctx.Done(); ; {
		select {
		case err := <-ended:
			return exitOf(cmd, err)
		case s := <-signals:
			// a terminal has told the child, too
			if !isTerminal(os.Stdin) || s == syscall.SIGTERM || s == syscall.SIGUSR1 || s == syscall.SIGUSR2 {
				_ = cmd.Process.Signal(s)
			}
			if deadline == nil && s != syscall.SIGUSR1 && s != syscall.SIGUSR2 {
				deadline = time.After(grace)
			}
		case <-done:
			done = nil
			_ = cmd.Process.Signal(syscall.SIGTERM)
			deadline = time.After(grace)
		case <-deadline:
			_ = cmd.Process.Kill()
		}
	}
}

// unstartable words why a command cannot be started.
func unstartable(name string, err error) string {
	there, statErr := os.Stat(name)
	switch {
	case name == "":
		return "the command to run is an empty word; is a variable empty?"
	case statErr == nil && there.IsDir():
		return name + " is a folder, and no command"
	case errors.Is(err, fs.ErrNotExist) && statErr == nil:
		return name + " cannot be started: its interpreter, or its loader, is not there"
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return name + ": no such command"
	case errors.Is(err, fs.ErrPermission):
		return name + " cannot be started: permission denied; is it executable (chmod +x)?"
	case errors.Is(err, syscall.ENOEXEC):
		return name + " cannot be started: it is no program of this system; a script begins with #! and its interpreter"
	}
	return name + " cannot be started: " + err.Error()
}

// exitOf is the exit code of a command that has ended.
func exitOf(cmd *exec.Cmd, err error) (int, error) {
	if errors.Is(err, exec.ErrWaitDelay) { // others still write
		err = nil
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case !errors.As(err, &exit):
		return 0, fmt.Errorf("%s: %w", cmd.Path, err)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}
