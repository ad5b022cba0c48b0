package mongod

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

func script(t *testing.T, body string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	return program(t, filepath.Join(t.TempDir(), "mongod"), body)
}

func TestStartNamesTheMissingLibrary(t *testing.T) {
	path := script(t, "echo 'mongod: error while loading shared libraries: libcurl.so.4: cannot open shared object file' >&2\nexit 127\n")
	_, err := Start(t.Context(), path, StartOptions{})
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("a test should skip on: %v", err)
	}
	for _, want := range []string{"libcurl.so.4", "apt-get install --no-install-recommends libcurl4"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in: %v", want, err)
		}
	}
}

func TestStartSaysWhyItEnded(t *testing.T) {
	dir := t.TempDir()
	_, err := Start(t.Context(), script(t, "echo one; echo 'disk is full'\nexit 14\n"), StartOptions{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "disk is full") || !strings.Contains(err.Error(), "14") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestStartOnATakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	if _, err := Start(t.Context(), script(t, "exit 0\n"), StartOptions{Port: port}); !errors.Is(err, errPortTaken) {
		t.Errorf("got %v", err)
	}
}

// Somebody takes the port while the server starts, answers nothing, and goes.
func TestStartOnAPortThatIsTakenMeanwhile(t *testing.T) {
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	launched, taken := filepath.Join(dir, "launched"), filepath.Join(dir, "taken")
	path := script(t, "touch "+launched+"; while [ ! -e "+taken+" ]; do sleep 0.01; done; echo 'Address already in use'; exit 48\n")
	go func() {
		for {
			if _, err := os.Stat(launched); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			t.Error(err)
			return
		}
		c, err := l.Accept()
		_ = l.Close()
		if err == nil {
			_ = c.Close()
		}
		_ = os.WriteFile(taken, nil, 0o600)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // the driver gives up after 30
	defer cancel()
	if _, err := Start(ctx, path, StartOptions{Port: port}); !errors.Is(err, errPortTaken) {
		t.Errorf("got %v", err)
	}
}

func TestStartOfAnAbsentFile(t *testing.T) {
	if _, err := Start(t.Context(), filepath.Join(t.TempDir(), "absent"), StartOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var l tail
	for range 3 {
		if n, err := l.Write(make([]byte, tailSize)); n != tailSize || err != nil {
			t.Fatal(n, err)
		}
	}
	if _, err := l.Write([]byte("end")); err != nil {
		t.Fatal(err)
	}
	if s := l.String(); len(s) != tailSize || !strings.HasSuffix(s, "end") {
		t.Errorf("%d bytes, ending %q", len(s), s[len(s)-3:])
	}
}
