package mongod

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// server is one run of the program.
type server struct {
	cmd    *exec.Cmd
	log    *tail
	ended  chan struct{} // closed when it has ended; cmd.ProcessState is set then
	before error         // why it could not even be started
}

// launch starts the program and returns at once.
func launch(path string, args []string) (*server, error) {
	s := &server{cmd: exec.Command(path, args...), log: &tail{}, ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = dieWithParent()
	started := make(chan struct{})
	go s.supervise(started)
	<-started
	if s.before != nil {
		return nil, fmt.Errorf("mongod: %w", s.before)
	}
	return s, nil
}

// supervise keeps one OS thread for the life of the child: on Linux the kernel
// takes the end of the thread that started a child for the end of its parent.
func (s *server) supervise(started chan<- struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(s.ended)
	s.before = s.cmd.Start()
	close(started)
	if s.before == nil {
		_ = s.cmd.Wait() // the state says more than the error
	}
}

// end signals the program, waits, and kills it after the grace. Where a system
// knows no such signal it is killed at once.
func (s *server) end(sig os.Signal) error {
	if err := s.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		_ = s.cmd.Process.Kill()
	}
	select {
	case <-s.ended:
		return nil
	case <-time.After(grace):
	}
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("mongod cannot be killed: %w", err)
	}
	<-s.ended
	return nil
}
