//go:build !linux

package main

import (
	"errors"
	"os"
	"time"
)

// process of another system: what it uses is read from Linux's /proc.
type process struct{}

func start(*os.File, string, ...string) (*process, error) { return nil, errors.ErrUnsupported }

func (*process) stop()                        {}
func (*process) cpu() (time.Duration, error)  { return 0, errors.ErrUnsupported }
func (*process) resetPeak() error             { return errors.ErrUnsupported }
func (*process) memory(string) (int64, error) { return 0, errors.ErrUnsupported }
func (*process) descriptors() (int, error)    { return 0, errors.ErrUnsupported }

func raiseDescriptors(uint64) (uint64, error) { return 0, errors.ErrUnsupported }
