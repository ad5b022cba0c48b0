package harness

import (
	"errors"
	"net"
	"os"
	"strconv"
	"sync/atomic"
)

// Ports are taken from below those that systems give to outgoing connections: a
// busy machine leaves few neighbours free there.
const (
	firstPort = 20_000
	lastPort  = 32_000
)

// handedOut is how many ports were looked at so far: none is given twice, because
// between the look and the use nobody listens on them. Runners begin apart.
var handedOut atomic.Int64

// Ports finds n neighbouring ports of loopback that nobody listens on: the
// proxy gives a set's members the ports after the first one's.
func Ports(n int) ([]string, error) {
	for range 1000 {
		place := int64(os.Getpid())*100 + handedOut.Add(int64(n)) - int64(n)
		if addrs := neighbours(firstPort+int(place%(lastPort-firstPort)), n); addrs != nil {
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
