package e2e

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// rootFor skips where something takes root.
func rootFor(t *testing.T, what string) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal(what + " takes root")
	}
	t.Skip(what + " takes root")
}

// reduced runs a program as nobody, without capabilities and without a way to get
// any, where every file system is read-only. $HOME names no folder.
const reduced = `set -e
mount --make-rprivate /
mount -o bind,remount,ro / / 2>/dev/null || { mount --bind / / && mount -o remount,bind,ro /; }
for dir in /tmp /var /run /home /root; do if mountpoint -q $dir; then mount -o remount,bind,ro $dir; fi; done
if touch "$WRITES" 2>/dev/null; then echo "not read-only" >&2; exit 9; fi
exec env -u HOME setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"`

// TestRunsWithoutRights: it serves, tells systemd that it does, and ends, with no
// more rights than the page of security says it needs.
func TestRunsWithoutRights(t *testing.T) {
	t.Parallel()
	rootFor(t, "giving up rights")
	needs(t, "unshare", "setpriv", "mountpoint")
	server := mongodtest.Start(t)
	dir, err := os.MkdirTemp("", "mongoadvisor-rights-") // one that nobody can get to
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	binary, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "mongoadvisor")
	notify := filepath.Join(dir, "notify")
	socket, err := net.ListenPacket("unixgram", notify)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, err := range []error{os.WriteFile(copied, binary, 0o755), os.Chmod(dir, 0o755), os.Chmod(notify, 0o777)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	addr := freePort(t)
	var said bytes.Buffer
	cmd := exec.Command("unshare", "--mount", "sh", "-c", reduced, "sh", copied, "proxy", "--listen", addr, "--upstream", server.Addr(), "--web.listen-address", freePort(t), "--shutdown.grace", "2s")
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+notify, "WRITES="+filepath.Join(dir, "written"))
	cmd.Stderr = &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	_ = socket.SetDeadline(time.Now().Add(time.Minute))
	b := make([]byte, 256)
	n, _, err := socket.ReadFrom(b)
	if err != nil || !strings.Contains(string(b[:n]), "READY=1") {
		_ = cmd.Process.Kill()
		t.Logf("it ended with %v", <-ended)
		t.Fatalf("systemd is told %q, %v: %s", b[:n], err, said.String())
	}
	status, err := os.ReadFile("/proc/" + pid(cmd) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"Uid:\t65534\t65534", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1"} {
		if !strings.Contains(string(status), line) {
			t.Errorf("it has more rights than %q", line)
		}
	}
	if err := connect(t, "mongodb://"+addr+"/?directConnection=true", "app").Ping(t.Context(), nil); err != nil {
		t.Error(err)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := <-ended; err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
}

// pid is of what cmd has become: all its shells exec.
func pid(cmd *exec.Cmd) string { return strconv.Itoa(cmd.Process.Pid) }
