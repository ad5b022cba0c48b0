package mongolog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/mongolog"
)

// slow is a line about a find that took ms.
func slow(ms int) string {
	return fmt.Sprintf(`{"t":{"$date":"2026-12-01T00:04:08.713+00:00"},"s":"I","c":"COMMAND","id":51803,"ctx":"conn7","msg":"Slow query","attr":{"type":"command","ns":"a.b","command":{"find":"b","filter":{"x":1},"$db":"a"},"planSummary":"COLLSCAN","keysExamined":0,"docsExamined":9,"nreturned":1,"reslen":100,"remote":"127.0.0.1:5","protocol":"op_msg","durationMillis":%d}}`, ms)
}

func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mongod.log")
	var seen atomic.Int64
	l := mongolog.New(mongolog.Config{Emit: func(*op.Operation) { seen.Add(1) }})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- mongolog.Follow(ctx, path, l) }()
	write := func(text string, flag int) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, n int64) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); seen.Load() < n && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		if got := seen.Load(); got != n {
			t.Fatalf("%s: %d operations, want %d", what, got, n)
		}
	}
	time.Sleep(50 * time.Millisecond) // the file is not there yet
	write(slow(1)+"\n"+slow(2)+"\n", os.O_APPEND)
	want("two lines", 2)
	line := slow(3)
	write(line[:50], os.O_APPEND)
	time.Sleep(400 * time.Millisecond)
	write(line[50:]+"\n", os.O_APPEND)
	want("a line in two parts", 3)
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	write(slow(4)+"\n", os.O_APPEND)
	want("renamed", 4)
	write(slow(5)+"\n"+slow(6)+"\n", os.O_APPEND)
	want("two more", 6)
	write(slow(7)+"\n", os.O_TRUNC)
	want("truncated", 7)
	write(slow(8), os.O_APPEND) // without its end
	time.Sleep(300 * time.Millisecond)
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	want("the last line at the end", 8)
	if c := l.Coverage(); c.Records != 8 || c.Decoded != 8 {
		t.Errorf("%+v", c)
	}
}

// TestFollowEnds: the end does not wait for that of a file, and what has none is
// refused.
func TestFollowEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mongod.log")
	if err := os.WriteFile(path, []byte(slow(9)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	l := mongolog.New(mongolog.Config{})
	if err := mongolog.Follow(ctx, path, l); err != nil || l.Coverage().Records != 0 {
		t.Errorf("%v, %d records read after the end", err, l.Coverage().Records)
	}
	for _, path := range []string{os.DevNull, t.TempDir()} {
		if err := mongolog.Follow(ctx, path, l); err == nil {
			t.Errorf("%s was followed", path)
		}
	}
}
