package e2e

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestDescriptorsExhausted: with none left, nobody new is served, one line says
// so, and both who was connected and the web endpoint go on. When there are some
// again, so does the rest.
func TestDescriptorsExhausted(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go echo(l)
	p := startProxy(t, l.Addr().String())
	before, err := net.Dial("tcp", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	echoes(t, before)
	p.get("/metrics") // leaves a connection that stays open
	if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 40, Max: 40}, nil); err != nil {
		t.Fatal(err)
	}
	var crowd []net.Conn
	for range 60 {
		if c, err := net.Dial("tcp", p.addr); err == nil {
			crowd = append(crowd, c)
		}
	}
	says := func(line string) bool { return strings.Contains(p.errors(), line) }
	eventually(t, "the log says that a client cannot be accepted", func() bool { return says("accept on " + p.addr) })
	eventually(t, "the log says so of the web endpoint", func() bool {
		// whatever the crowd has left over, or gives back, is taken here
		if c, err := net.Dial("tcp", p.web); err == nil {
			crowd = append(crowd, c)
		}
		return says("http: Accept error")
	})
	time.Sleep(2 * time.Second) // several attempts to accept
	for _, line := range []string{"accept on " + p.addr, "http: Accept error"} {
		if n := strings.Count(p.errors(), line); n > 2 {
			t.Errorf("%d lines say %q", n, line)
		}
	}
	echoes(t, before)
	if resp, err := http.Get("http://" + p.web + "/-/healthy"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("the web endpoint: %v, %v", resp, err)
	}
	for _, c := range crowd {
		c.Close()
	}
	eventually(t, "somebody new is served", func() bool {
		c, err := net.Dial("tcp", p.addr)
		if err != nil {
			return false
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(5 * time.Second))
		_, err = io.WriteString(c, "hello")
		if err == nil {
			_, err = io.ReadFull(c, make([]byte, 5))
		}
		return err == nil
	})
}

func echoes(t *testing.T, c net.Conn) {
	t.Helper()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, "still here"); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadFull(c, make([]byte, 10)); err != nil {
		t.Error(err)
	}
}
