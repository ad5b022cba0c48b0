//go:build !linux

package mongod

import "syscall"

// noSocket is empty: not every system's mongod knows the option.
var noSocket []string

// dieWithParent does nothing: the kernel has no such service here.
func dieWithParent() *syscall.SysProcAttr { return nil }
