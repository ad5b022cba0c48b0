package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one that this run started and ends.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed then
}

// start runs a program that dies with us. Its output goes to out.
func start(out *os.File, name string, args ...string) (*process, error) {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// tick is the unit of /proc/PID/stat; Linux says 100 a second on every platform
// that Go knows.
const tick = 10 * time.Millisecond

// cpu is what the process has used so far.
func (p *process) cpu() (time.Duration, error) {
	b, err := os.ReadFile(p.proc("stat"))
	if err != nil {
		return 0, err
	}
	// the name in parentheses may hold anything
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("/proc/PID/stat is too short")
	}
	var total time.Duration
	for _, f := range fields[11:13] { // utime, stime
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(n) * tick
	}
	return total, nil
}

// resetPeak makes VmHWM start from what is used now.
func (p *process) resetPeak() error { return os.WriteFile(p.proc("clear_refs"), []byte("5"), 0) }

// memory reads a line of /proc/PID/status: VmRSS or VmHWM, in bytes.
func (p *process) memory(line string) (int64, error) {
	b, err := os.ReadFile(p.proc("status"))
	if err != nil {
		return 0, err
	}
	for l := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(l, line+":"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("no %s in /proc/PID/status", line)
}

// descriptors counts those that are open.
func (p *process) descriptors() (int, error) {
	d, err := os.ReadDir(p.proc("fd"))
	return len(d), err
}

func (p *process) proc(file string) string {
	return fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, file)
}

// raiseDescriptors lets this process and those it starts hold up to n
// descriptors, or as many as the machine allows, and returns how many.
func raiseDescriptors(n uint64) (uint64, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, err
	}
	more := syscall.Rlimit{Cur: n, Max: max(limit.Max, n)}
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &more) == nil {
		return n, nil
	}
	limit.Cur = min(n, limit.Max)
	return limit.Cur, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}
