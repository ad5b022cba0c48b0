package mongod

import "syscall"

// noSocket keeps mongod from leaving a socket file in the folder for temporary
// files.
var noSocket = []string{"--nounixsocket"}

// dieWithParent has the kernel kill the child when we end, however we end, and
// keeps a terminal's Ctrl-C from it: we end it ourselves, after the last report.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
