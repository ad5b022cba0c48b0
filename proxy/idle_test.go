package proxy

import (
	"net"
	"os"
	"runtime"
	"testing"
	"time"
)

const idleConns = 1000

// idleBound is what an idle connection may cost in heap and stacks together,
// both legs. Measured: 6 to 7 KiB, 10 with the race detector. A direction that
// kept its buffer would be seen.
const idleBound = 24 << 10

// Pools keep many idle connections. Each costs two sockets and little memory,
// and gives all of it back.
func TestIdleConnectionsAreCheap(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address()})

	// What the outer ends cost by themselves is not the proxy's.
	before := footprint()
	closeDirect := openIdle(t, u.address(), u)
	direct := footprint() - before
	closeDirect()

	fds := countFDs(t)
	before = footprint()
	closeProxied := openIdle(t, s.Addrs()[0].String(), u)
	proxied := footprint() - before
	if n := s.Connections(); n != idleConns {
		t.Fatalf("%d connections, want %d", n, idleConns)
	}
	if fds >= 0 {
		// Two of the four belong to this test.
		if got := countFDs(t) - fds; got > 4*idleConns+16 {
			t.Errorf("%d descriptors for %d connections", got, idleConns)
		}
	}
	each := (proxied - direct) / idleConns
	t.Logf("an idle connection costs %.1f KiB", float64(each)/1024)
	if each > idleBound {
		t.Errorf("an idle connection costs %d bytes, more than %d", each, idleBound)
	}
	closeProxied()
	eventually(t, "no connection is left", func() bool { return s.Connections() == 0 })
	if fds >= 0 {
		eventually(t, "all descriptors are given back", func() bool { return countFDs(t) <= fds })
	}
}

// openIdle opens connections, sends a request and a reply over each so that
// they have been in use, and leaves them idle.
func openIdle(t *testing.T, address string, u *testUpstream) (closeAll func()) {
	t.Helper()
	request, reply := noise(1, 200), noise(2, 20_000)
	conns := make([]net.Conn, 0, 2*idleConns)
	for range idleConns {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server := <-u.conns
		conns = append(conns, c, server)
		mustWrite(t, c, request)
		mustRead(t, server, request)
		mustWrite(t, server, reply)
		mustRead(t, c, reply)
	}
	return func() {
		for _, c := range conns {
			c.Close()
		}
	}
}

func footprint() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// countFDs is -1 where the system does not tell.
func countFDs(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(entries)
}

// There is no idle timeout: connections idle longer than any time the proxy
// knows of would be needed to see one, so the times it knows of are looked at
// instead, and a connection left idle for a while still works.
func TestIdleThenUsed(t *testing.T) {
	u := newUpstream(t, "127.0.0.1:0")
	s := start(t, &Server{Upstream: u.address(), DialTimeout: time.Second, KeepAlive: time.Second})
	client, server := pair(t, s, u)
	for range 2 {
		mustWrite(t, client, []byte("ping"))
		mustRead(t, server, []byte("ping"))
		mustWrite(t, server, []byte("pong"))
		mustRead(t, client, []byte("pong"))
		// Longer than every time that is configured above and than lingerTime.
		time.Sleep(1500 * time.Millisecond)
	}
	mustWrite(t, server, []byte("an awaited reply"))
	mustRead(t, client, []byte("an awaited reply"))
}
