//go:build !linux

package mongod

import "syscall"

func dieWithParent() *syscall.SysProcAttr { return nil }
