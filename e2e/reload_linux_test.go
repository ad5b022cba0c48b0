package e2e

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReloadTellsTheManager: systemd, with a unit of type notify-reload, waits for the
// end of a reload, also of one that fails.
func TestReloadTellsTheManager(t *testing.T) {
	dir, err := os.MkdirTemp("", "notify-") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket, err := net.ListenPacket("unixgram", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	t.Setenv("NOTIFY_SOCKET", filepath.Join(dir, "s"))
	p := startReloadable(t, freePort(t), "log: {level: info}\n")
	told := func(pattern string) {
		t.Helper()
		_ = socket.SetDeadline(time.Now().Add(time.Minute))
		b := make([]byte, 256)
		n, _, err := socket.ReadFrom(b)
		if err != nil || !regexp.MustCompile(pattern).Match(b[:n]) {
			t.Errorf("it is told %q, %v, not %q", b[:n], err, pattern)
		}
	}
	told("^READY=1$")
	for _, text := range []string{"log: {level: warn}\n", "nothing: 1\n"} {
		p.write(t, text)
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		told("^RELOADING=1\nMONOTONIC_USEC=[0-9]+\n$")
		told("^READY=1$")
	}
	p.proxied.stop()
	told("^STOPPING=1$")
}

// TestReloadOfCapture: the signal reloads, too, as long as the file can be read with the
// rights that are left.
func TestReloadOfCapture(t *testing.T) {
	needsRoot(t)
	dir, err := os.MkdirTemp("", "capture-") // one that nobody can get to
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "c.yaml")
	write := func(text string, mode os.FileMode) {
		t.Helper()
		for _, err := range []error{os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode), os.Chmod(dir, 0o755)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	write("limit: [\"Q02.min-count=2\"]\n", 0o600)
	p := &reloadable{path: path, proxied: startCapture(t, "127.0.0.1:1", "--config.file", path)}
	if p.said("cannot be read any more") != 1 {
		t.Errorf("nothing is said of a file that cannot be read again: %s", p.errors())
	}
	hangUp := func(what, said string) {
		t.Helper()
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		eventually(t, what, func() bool { return p.said(said) >= 1 })
	}
	hangUp("it says why it does not reload", "permission denied; who runs this has no right to it; this process has the rights of user 65534 now")
	if p.metric(inForce) != 0 {
		t.Error("the metric says it is in force")
	}
	write("rules: [\"-Q02\"]\n", 0o644)
	hangUp("it reloads", "configuration reloaded")
	if p.metric(inForce) != 1 || !strings.Contains(string(p.get("/api/v1/findings")), `"why": "switched off"`) {
		t.Error("the new configuration is not in force")
	}
}

// TestReloadOfFollow: a log that is followed is read on with the new configuration.
func TestReloadOfFollow(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "mongod.log")
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := &reloadable{path: filepath.Join(dir, "c.yaml")}
	p.write(t, "profile: ci\n")
	p.proxied = &proxied{t: t, web: freePort(t), ended: make(chan struct{})}
	launch{}.start(p.proxied, []string{"analyze", "--follow", log, "--config.file", p.path, "--web.listen-address", p.web, "--web.enable-lifecycle"})
	p.write(t, "profile: ci\nrules: [\"-Q02\"]\n")
	if status, body := p.ask("POST"); status != 200 {
		t.Fatalf("%d: %s", status, body)
	}
	if !strings.Contains(string(p.get("/api/v1/findings")), `"why": "switched off"`) {
		t.Error("the new configuration is not in force")
	}
}
