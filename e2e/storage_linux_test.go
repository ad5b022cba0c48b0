package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// startIn starts a proxy in a mount namespace of its own, after a shell has made its file
// systems there: $KEPT is a folder to mount on, in which the proxy keeps its findings.
// The second value is the folder as it is seen from outside.
func startIn(t *testing.T, mounts, upstream string) (p *proxied, inside string) {
	t.Helper()
	rootFor(t, "mounting a file system")
	needs(t, "unshare", "mount")
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	p = &proxied{t: t, addr: freePort(t), web: freePort(t)}
	cmd := exec.Command("unshare", "--mount", "sh", "-c", "mount --make-rprivate / && "+mounts+` && exec "$@"`, "sh", program, "proxy",
		"--listen", p.addr, "--upstream", upstream, "--web.listen-address", p.web, "--profile", "ci", "--storage.path", dir, "--storage.interval", "1s", "--shutdown.grace", "1s")
	cmd.Env, cmd.Stderr = append(os.Environ(), "KEPT="+dir), log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("it ended with %v", err)
		}
		text, _ := os.ReadFile(log.Name())
		if n := strings.Count(string(text), "findings cannot be kept"); n != 1 || !strings.Contains(string(text), t.Name()) {
			t.Errorf("said %d times why, of the folder:\n%s", n, text)
		}
	})
	eventually(t, "it serves", func() bool {
		answer, err := http.Get("http://" + p.web + "/-/ready")
		if err == nil {
			_ = answer.Body.Close()
		}
		return err == nil && answer.StatusCode == http.StatusOK
	})
	return p, filepath.Join("/proc", pid(cmd), "root", dir)
}

// saving reports whether the last attempt to save was one.
func saving(p *proxied) bool {
	return strings.Contains(string(p.get("/metrics")), "mongoadvisor_storage_last_save_successful 1\n")
}

// snapshot is what is kept, as it is on disk.
func snapshot(t *testing.T, dir string) (fingerprints int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "findings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Findings []struct{ Fingerprint string }
	}
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return len(state.Findings)
}

// TestStorageFillsUp: with the disk full the snapshot of before stays whole, traffic and
// findings go on, and with room again everything is kept.
func TestStorageFillsUp(t *testing.T) {
	t.Parallel()
	server := mongodtest.Start(t)
	p, inside := startIn(t, `mount -t tmpfs -o size=256k small "$KEPT"`, server.Addr())
	db := connect(t, p.uri("&timeoutMS=20000"), "app").Database("shop")
	find(t, db, 0)
	eventually(t, "the first finding is kept", func() bool {
		_, err := os.Stat(filepath.Join(inside, "findings.json"))
		return err == nil && saving(p) && snapshot(t, inside) > 0
	})
	before := snapshot(t, inside)
	ballast, err := os.Create(filepath.Join(inside, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	for chunk := make([]byte, 4096); err == nil; {
		_, err = ballast.Write(chunk)
	}
	_ = ballast.Close()
	for n := range 40 {
		find(t, db, n)
	}
	eventually(t, "saving fails", func() bool { return !saving(p) })
	if n := snapshot(t, inside); n != before {
		t.Errorf("the snapshot has %d findings, and had %d", n, before)
	}
	p.settled()
	if f, _ := p.report(); len(f) < 40 {
		t.Errorf("%d findings", len(f))
	}
	if list, _ := filepath.Glob(filepath.Join(inside, "*")); len(list) != 4 { // with ballast, lock and history
		t.Errorf("left behind: %v", list)
	}
	if err := os.Remove(ballast.Name()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "everything is kept", func() bool { return saving(p) && snapshot(t, inside) >= 40 })
	history, err := os.ReadFile(filepath.Join(inside, "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	find(t, db, 41)
	eventually(t, "the history goes on", func() bool {
		now, _ := os.ReadFile(filepath.Join(inside, "history.jsonl"))
		return len(now) > len(history) && json.Valid(now[strings.LastIndexByte(strings.TrimSpace(string(now)), '\n')+1:])
	})
}

// TestStorageReadOnly: what is there is shown, and nothing of it is changed.
func TestStorageReadOnly(t *testing.T) {
	t.Parallel()
	server := mongodtest.Start(t)
	first := filepath.Join(t.TempDir(), "first")
	p := startProxy(t, server.Addr(), "--storage.path", first)
	find(t, connect(t, p.uri(""), "app").Database("shop"), 7)
	p.settled()
	want, _ := p.report()
	p.stop()
	if len(want) == 0 {
		t.Fatal("nothing was found")
	}
	p, inside := startIn(t, `mount --bind '`+first+`' "$KEPT" && mount -o remount,ro,bind "$KEPT"`, server.Addr())
	kept, _ := p.report()
	if !equal(tallied(kept), tallied(want)) {
		t.Errorf("it shows %v, want %v", tallied(kept), tallied(want))
	}
	find(t, connect(t, p.uri(""), "app").Database("shop"), 8)
	p.settled()
	if f, _ := p.report(); len(f) <= len(want) || saving(p) {
		t.Errorf("%d findings, of which %d were there; the last save a success: %v", len(f), len(want), saving(p))
	}
	if n := snapshot(t, inside); n != len(want) {
		t.Errorf("%d findings kept, want %d", n, len(want))
	}
}
