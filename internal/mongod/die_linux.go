package mongod

import "syscall"

// dieWithParent has the kernel kill the child when we end, however we end.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
