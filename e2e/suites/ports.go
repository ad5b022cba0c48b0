package main

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports are taken from below those that systems give to outgoing connections: a
// busy machine leaves few neighbours free there.
const (
	firstPort = 20_000
	lastPort  = 32_000
)

// freePorts finds n neighbouring ports of loopback that nobody listens on: the
// proxy gives a set's members the ports after the first one's.
func freePorts(n int) ([]string, error) {
	for range 1000 {
		if addrs := neighbours(firstPort+rand.IntN(lastPort-firstPort), n); addrs != nil {
			return addrs, nil
		}
	}
	return nil, errors.New("no free ports")
}

// neighbours are the addresses of n ports, or nil when one of them is taken.
func neighbours(port, n int) []string {
	var addrs []string
	for i := range n {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+i)))
		if err != nil {
			return nil
		}
		defer l.Close()
		addrs = append(addrs, l.Addr().String())
	}
	return addrs
}
