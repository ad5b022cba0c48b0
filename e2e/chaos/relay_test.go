package chaos

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// relay is the network between clients and one listener of the proxy. Its
// connections can be cut.
type relay struct {
	l     *net.TCPListener
	to    string
	group sync.WaitGroup

	mu   sync.Mutex
	open map[*link]bool
}

// link is one connection: what is near the client, and what is near the proxy.
type link struct{ near, far *net.TCPConn }

func newRelay(t *testing.T, l net.Listener, to string) *relay {
	r := &relay{l: l.(*net.TCPListener), to: to, open: map[*link]bool{}}
	r.group.Go(r.accept)
	t.Cleanup(func() {
		r.l.Close()
		r.cut(nil, 1)
		r.group.Wait()
	})
	return r
}

func (r *relay) accept() {
	for {
		near, err := r.l.AcceptTCP()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", r.to)
		if err != nil {
			reset(near)
			continue
		}
		c := &link{near, far.(*net.TCPConn)}
		r.mu.Lock()
		r.open[c] = true
		r.mu.Unlock()
		r.group.Go(func() { r.forward(c) })
	}
}

func (r *relay) forward(c *link) {
	var both sync.WaitGroup
	both.Go(func() { move(c.far, c.near) })
	both.Go(func() { move(c.near, c.far) })
	both.Wait()
	c.near.Close()
	c.far.Close()
	r.mu.Lock()
	delete(r.open, c)
	r.mu.Unlock()
}

// move passes a FIN as a FIN, and anything else as a reset.
func move(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		reset(from)
		reset(to)
		return
	}
	to.CloseWrite()
}

// cut ends a share of the connections, wherever they are in what they say: half
// of them by a reset, the others by a FIN. Without random it resets.
func (r *relay) cut(random *rand.Rand, share float64) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		switch {
		case random == nil || random.Float64() < share/2:
			reset(c.near)
			reset(c.far)
		case random.Float64() < share/2:
			c.near.Close()
			c.far.Close()
		default:
			continue
		}
		n++
	}
	return n
}

func reset(c *net.TCPConn) {
	c.SetLinger(0)
	c.Close()
}
