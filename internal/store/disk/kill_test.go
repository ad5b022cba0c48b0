package disk

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// TestMain is also the process that is killed: with the variable set it saves states
// until it ends, and says of each that it is safe.
func TestMain(m *testing.M) {
	path := os.Getenv("DISK_TEST_WRITES_TO")
	if path == "" {
		os.Exit(m.Run())
	}
	from, _ := strconv.ParseInt(os.Getenv("DISK_TEST_FROM"), 10, 64)
	d := Open(path)
	for n := from; ; n++ {
		if err := d.Save(state(n)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

// Killed at any moment, a writer leaves the last state that it said was safe, or the
// one after it.
func TestKilledWhileSaving(t *testing.T) {
	path := t.TempDir()
	safe := int64(0)
	for range 15 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "DISK_TEST_WRITES_TO="+path, "DISK_TEST_FROM="+strconv.FormatInt(safe+1, 10))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		first := true
		for s := bufio.NewScanner(out); s.Scan(); {
			if safe, err = strconv.ParseInt(s.Text(), 10, 64); err != nil {
				t.Fatal(err)
			}
			if first {
				first = false
				time.AfterFunc(time.Duration(rand.Int64N(int64(20*time.Millisecond))), func() { _ = cmd.Process.Kill() })
			}
		}
		_ = cmd.Wait()
		got, err := Open(path).Read()
		if err != nil {
			t.Fatalf("after %d: %v", safe, err)
		}
		if n := got.Workload.Operations; n != safe && n != safe+1 || got.Findings[0].Figures.Count != n {
			t.Fatalf("%d was safe, and there is %d", safe, n)
		}
		safe = got.Workload.Operations
	}
	if safe < 15 {
		t.Errorf("only %d states were written", safe)
	}
}
