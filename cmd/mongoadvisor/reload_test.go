package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"mongoadvisor/internal/store"
)

// fileAt writes a file into a folder of its own and gives its path.
func fileAt(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// started is the configuration of a proxy with those arguments.
func started(t *testing.T, args ...string) *config {
	t.Helper()
	k := &kind{func() *config { return defaults(store.Staging) }, (*config).proxying}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	c := k.configure(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	c.given = givenBy(f)
	if err := c.complete(f); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAgain: everything is evaluated anew with the same precedence, and a key that is gone
// from the file has its default again.
func TestAgain(t *testing.T) {
	path := fileAt(t, "profile: ci\nremind: 5m\nlog: {level: debug}\nrules: [\"-Q01\"]\nbounded: [tags]\n")
	t.Setenv("MONGOADVISOR_LOG_LEVEL", "warn")
	c := started(t, "--config.file", path, "--rules", "-Q02", "--rules", "-Q03")
	if c.Profile != "ci" || c.Remind.String() != "5m0s" || c.Log.Level != "warn" || !slices.Equal(c.Rules, []string{"-Q02", "-Q03"}) {
		t.Fatalf("%+v", c)
	}
	if err := os.WriteFile(path, []byte("log: {level: error}\nfixed-after: 2h\nrules: [\"+I05\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	next, err := c.again()
	if err != nil {
		t.Fatal(err)
	}
	if next.Profile != "staging" || next.Remind.String() != "1h0m0s" || next.FixedAfter.String() != "2h0m0s" || next.Log.Level != "warn" ||
		!slices.Equal(next.Rules, []string{"-Q02", "-Q03"}) || len(next.Bounded) != 0 {
		t.Errorf("%+v", next)
	}
	if c.Profile != "ci" || len(c.Bounded) != 1 {
		t.Errorf("the old one has changed: %+v", c)
	}
	merged, changed, kept := c.takeOver(next)
	if want := []string{"profile", "remind", "fixed-after", "bounded"}; !slices.Equal(changed, want) || len(kept) != 0 {
		t.Errorf("changed %q, kept %q", changed, kept)
	}
	if third, err := merged.again(); err != nil || third.FixedAfter != next.FixedAfter {
		t.Errorf("a second reload: %v, %+v", err, third)
	}
}

// TestTakeOver: what listeners, memory and files are made of keeps its value and is named;
// an empty list is none.
func TestTakeOver(t *testing.T) {
	c := started(t)
	next := started(t, "--listen", "127.0.0.1:1", "--upstream-tls", "--analysis.max-memory", "2MiB", "--web.listen-address", "", "--log.format", "console",
		"--log.level", "debug", "--limit", "W01.min-count=3", "--alert.slack.url", "https://hooks.example/x")
	next.Rules, next.Port, next.Ignore = []string{}, []uint{}, []ignore{{Rule: "Q01", Reason: "known"}}
	merged, changed, kept := c.takeOver(next)
	if want := []string{"listen", "upstream-tls", "web.listen-address", "log.format", "analysis.max-memory"}; !slices.Equal(kept, want) {
		t.Errorf("kept %q", kept)
	}
	if want := []string{"limit", "alert.slack.url", "log.level", "ignore"}; !slices.Equal(changed, want) {
		t.Errorf("changed %q", changed)
	}
	if merged.Listen != c.Listen || merged.UpstreamTLS || merged.Log.Format != "json" || merged.Log.Level != "debug" || len(merged.Ignore) != 1 || merged.kind == nil {
		t.Errorf("%+v", merged)
	}
}

// TestEveryKeyIsVisited: a reload sees each key of the file, also those to come.
func TestEveryKeyIsVisited(t *testing.T) {
	c := started(t)
	next := started(t)
	want := yamlKeys(t)
	n := 0
	eachKey("", reflect.ValueOf(*c), reflect.ValueOf(*next), func(key string, _, _ reflect.Value) {
		n++
		if !want[key] {
			t.Errorf("%s is no key", key)
		}
		for parent := key; ; {
			want[parent] = false
			i := strings.LastIndex(parent, ".")
			if i < 0 {
				break
			}
			parent = parent[:i]
		}
	})
	for key, missing := range want {
		if missing {
			t.Errorf("%s is not visited", key)
		}
	}
	for _, key := range reloadable {
		if _, ok := want[key]; !ok {
			t.Errorf("%s can be reloaded and is no key", key)
		}
	}
	if n < 40 {
		t.Errorf("%d keys", n)
	}
}

// TestFollowTakesItsFlags: the log of --follow is that of a service, unless a flag says
// otherwise.
func TestFollowTakesItsFlags(t *testing.T) {
	k := &kind{followDefaults, (*config).analyzing}
	for _, x := range []struct{ arg, level string }{{"", "info"}, {"--log.level=error", "error"}} {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		c := (&kind{analyzeDefaults, (*config).analyzing}).configure(f)
		if err := f.Parse(strings.Fields(x.arg)); err != nil {
			t.Fatal(err)
		}
		c.kind, c.given = k, givenBy(f)
		if followed, err := c.again(); err != nil || followed.Log.Level != x.level || followed.Log.Format != "json" {
			t.Errorf("%q: %v, %+v", x.arg, err, followed.Log)
		}
	}
}

// TestSinkKeys: a sink is another one when one of its own keys changes, or one that all
// share.
func TestSinkKeys(t *testing.T) {
	c := defaults(store.Staging)
	c.Alert.Webhook.URL, c.Alert.Slack.URL, c.Alert.File = "http://a", "http://b", "f"
	same := func(change func(*config)) (names []string) {
		next := *c
		change(&next)
		for _, name := range []string{"webhook", "slack", "alertmanager", "file"} {
			if c.sinkKey(name) == next.sinkKey(name) {
				names = append(names, name)
			}
		}
		return names
	}
	for want, change := range map[string]func(*config){
		"webhook slack alertmanager file": func(c *config) { c.Log.Level = "debug" },
		"slack alertmanager file":         func(c *config) { c.Alert.Webhook.Secret = "s" },
		"webhook alertmanager file":       func(c *config) { c.Alert.Slack.URL = "http://c" },
		"webhook slack file":              func(c *config) { c.Alert.Alertmanager.URL = []string{"http://c"} },
		"webhook slack alertmanager":      func(c *config) { c.Alert.File = "g" },
		"":                                func(c *config) { c.Alert.MinSeverity = "high" },
	} {
		if got := strings.Join(same(change), " "); got != want {
			t.Errorf("the same are %q, want %q", got, want)
		}
	}
}

// TestUnreadableConfigurationNamesIt: in the words of the start, once.
func TestUnreadableConfigurationNamesIt(t *testing.T) {
	folder := t.TempDir()
	absent, empty := filepath.Join(folder, "absent.yaml"), filepath.Join(folder, "empty.yaml")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":     "",
		absent: absent + ": no such file or folder",
		empty:  empty + " is empty; for all defaults write a comment into it",
		folder: folder + " is no regular file, and cannot be read again",
	} {
		got := ""
		if err := readable(path); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

// TestWordsKeepTheirError: the log of a reload says whose rights were missing.
func TestWordsKeepTheirError(t *testing.T) {
	err := usage("config.file c.yaml: %w", trouble(&fs.PathError{Op: "open", Path: "c.yaml", Err: fs.ErrPermission}))
	if !errors.Is(err, fs.ErrPermission) || err.Error() != "config.file c.yaml: permission denied; who runs this has no right to it" {
		t.Errorf("%v", err)
	}
}
