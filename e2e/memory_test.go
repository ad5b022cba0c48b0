package e2e

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestDeclaredLengthCostsNothing opens 1,000 connections that each send only a
// header declaring the largest message, and idle: the proxy must not believe
// them.
func TestDeclaredLengthCostsNothing(t *testing.T) {
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer upstream.Close()
	go swallow(upstream)
	p := startProxy(t, upstream.Addr().String())
	const connections = 1000
	before := resident(t, p.cmd.Process.Pid)
	header := binary.LittleEndian.AppendUint32(nil, 48_000_000)
	header = binary.LittleEndian.AppendUint32(header, 1)
	header = binary.LittleEndian.AppendUint32(header, 0)
	header = binary.LittleEndian.AppendUint32(header, 2013)
	for range connections {
		c, err := net.Dial("tcp", p.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write(header); err != nil {
			t.Fatal(err)
		}
	}
	want := fmt.Sprintf(`mongoadvisor_forwarded_bytes_total{direction="client_to_server"} %d`, 16*connections)
	eventually(t, "all headers passed", func() bool { return strings.Contains(string(p.get("/metrics")), want) })
	time.Sleep(100 * time.Millisecond)
	perConnection := (resident(t, p.cmd.Process.Pid) - before) / connections
	t.Logf("%d bytes of resident memory per connection", perConnection)
	if perConnection > 64<<10 {
		t.Errorf("%d bytes per connection; a header must not make it believe 48,000,000", perConnection)
	}
}

func swallow(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			buf := make([]byte, 1024)
			for {
				if _, err := c.Read(buf); err != nil {
					return
				}
			}
		}()
	}
}

// resident is the memory of a process in bytes.
func resident(t *testing.T, pid int) int {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
