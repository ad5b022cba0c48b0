package main

import (
	"net"
	"testing"
)

func TestNeighboursAreAllFree(t *testing.T) {
	addrs, err := freePorts(3)
	if err != nil {
		t.Fatal(err)
	}
	last, err := net.Listen("tcp", addrs[2])
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	port := last.Addr().(*net.TCPAddr).Port
	if got := neighbours(port-2, 3); got != nil {
		t.Errorf("%v, although %s is taken", got, addrs[2])
	}
}
