package harness

import (
	"net"
	"testing"
)

func TestPortsAreGivenOnce(t *testing.T) {
	seen := map[string]bool{}
	for range 5 {
		addrs, err := Ports(3)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range addrs {
			if seen[a] {
				t.Errorf("%s twice", a)
			}
			seen[a] = true
		}
	}
}

func TestNeighboursAreAllFree(t *testing.T) {
	addrs, err := Ports(3)
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
