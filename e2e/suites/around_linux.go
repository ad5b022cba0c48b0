package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// watchAround looks once a second whether a process of the group is connected to
// one of the addresses. What it returns ends that and says which it saw. A driver
// that goes round the proxy keeps its connections for longer.
func watchAround(group int, addrs []string) func() []string {
	stop, seen := make(chan struct{}), make(chan []string)
	go func() {
		around := map[string]bool{}
		for {
			for _, addr := range addrs {
				if !around[addr] && connected(group, addr) {
					around[addr] = true
				}
			}
			select {
			case <-stop:
				var all []string
				for _, addr := range addrs {
					if around[addr] {
						all = append(all, addr)
					}
				}
				seen <- all
				return
			case <-time.After(time.Second):
			}
		}
	}()
	return func() []string {
		close(stop)
		return <-seen
	}
}

// connected says whether a process of the group has a connection to the port of
// an address of this machine.
func connected(group int, addr string) bool {
	inodes := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		for _, inode := range established(table, addr) {
			inodes["socket:["+inode+"]"] = true
		}
	}
	if len(inodes) == 0 {
		return false
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		if groupOf(stat) != group {
			continue
		}
		files, _ := filepath.Glob(filepath.Join(filepath.Dir(stat), "fd", "*"))
		for _, file := range files {
			if to, err := os.Readlink(file); err == nil && inodes[to] {
				return true
			}
		}
	}
	return false
}

// established reads a table of the kernel for connections to a port: their inodes.
func established(table, addr string) []string {
	f, err := os.Open(table)
	if err != nil {
		return nil
	}
	defer f.Close()
	_, port, _ := strings.Cut(addr, ":")
	var inodes []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// number, local, remote, state, queues, timer, retransmits, user, timeout, inode
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[3] != "01" {
			continue
		}
		_, remote, _ := strings.Cut(fields[2], ":")
		if n, err := strconv.ParseUint(remote, 16, 16); err == nil && strconv.FormatUint(n, 10) == port {
			inodes = append(inodes, fields[9])
		}
	}
	return inodes
}

// groupOf reads "pid (name) state parent group …"; 0 is none.
func groupOf(stat string) int {
	b, err := os.ReadFile(stat)
	if err != nil {
		return 0 // it has ended
	}
	fields := strings.Fields(string(b)[strings.LastIndexByte(string(b), ')')+1:])
	if len(fields) < 3 {
		return 0
	}
	group, _ := strconv.Atoi(fields[2])
	return group
}
