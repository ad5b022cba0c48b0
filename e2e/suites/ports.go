package main

import (
	"errors"
	"net"
	"strconv"
)

// freePorts finds n neighbouring ports of loopback that nobody listens on: the
// proxy gives a set's members the ports after the first one's.
func freePorts(n int) ([]string, error) {
	for range 100 {
		first, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		port := first.Addr().(*net.TCPAddr).Port
		_ = first.Close()
		var addrs []string
		for i := range n {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+i)))
			if err != nil {
				break
			}
			addrs = append(addrs, l.Addr().String())
			defer l.Close()
		}
		if len(addrs) == n {
			return addrs, nil
		}
	}
	return nil, errors.New("no free ports")
}
