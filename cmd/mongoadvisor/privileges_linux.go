package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dropPrivileges gives up what rights the process has beside those of a user. Started
// as root it becomes the named one; where it may not (a container without the
// capability), and for any other user, it gives up the capabilities. It returns who
// the process is now. "" stays root.
func dropPrivileges(name string) (string, error) {
	if os.Geteuid() == 0 && name != "" {
		err := become(name)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, syscall.EPERM) {
			return "", err
		}
	}
	now := "user " + strconv.Itoa(os.Geteuid())
	if name == "" {
		return now, nil
	}
	return now, dropCapabilities()
}

// become changes user and groups, of all threads.
func become(name string) error {
	u, err := user.Lookup(name)
	if err != nil {
		return fmt.Errorf("%w; name another one, or none with --capture.user=", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	for _, do := range []func() error{
		func() error { return syscall.Setgroups([]int{gid}) },
		func() error { return syscall.Setgid(gid) },
		func() error { return syscall.Setuid(uid) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// dropCapabilities empties the capability sets, of all threads. A build with cgo has
// threads that Go does not know of, and keeps them.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	_, _, err := syscall.AllThreadsSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0)
	if err != 0 && err != syscall.ENOTSUP {
		return fmt.Errorf("giving up capabilities: %w", err)
	}
	return nil
}
