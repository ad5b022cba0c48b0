package main

import (
	"bytes"
	"reflect"
	"runtime/debug"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mongoadvisor/internal/store"
)

// TestDefaultsFile: `config print-defaults` prints every key with the value
// that is in force without a file.
func TestDefaultsFile(t *testing.T) {
	var fromFile config
	if err := yaml.NewDecoder(bytes.NewReader(defaultsYAML), yaml.Strict()).Decode(&fromFile); err != nil {
		t.Fatal(err)
	}
	want := defaults(store.Staging)
	want.Port, want.VXLAN, want.Alert.Alertmanager.URL = []uint{}, []uint{}, []string{}
	want.Rules, want.Limit, want.Ignore, want.Bounded = []string{}, []string{}, []ignore{}, []string{}
	if !reflect.DeepEqual(&fromFile, want) {
		t.Errorf("defaults.yaml says\n%+v\nthe defaults are\n%+v", &fromFile, want)
	}
	keys := yamlKeys(t)
	for _, cmd := range []*cobra.Command{newProxy(), newAnalyze(), newCapture()} {
		cmd.Flags().VisitAll(func(x *pflag.Flag) {
			if x.Name != "config.file" && x.Name != "follow" && !keys[x.Name] {
				t.Errorf("%s: flag --%s is no key of defaults.yaml", cmd.Name(), x.Name)
			}
		})
	}
}

// yamlKeys lists the dotted keys of the file.
func yamlKeys(t *testing.T) map[string]bool {
	t.Helper()
	var tree map[string]any
	if err := yaml.Unmarshal(defaultsYAML, &tree); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for k, v := range m {
			keys[prefix+k] = true
			if sub, ok := v.(map[string]any); ok {
				walk(prefix+k+".", sub)
			}
		}
	}
	walk("", tree)
	return keys
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{"64MiB": 64 << 20, "256KiB": 256 << 10, "1GiB": 1 << 30, "512B": 512, "1048576": 1 << 20} {
		var s size
		if err := s.Set(text); err != nil || int64(s) != want {
			t.Errorf("%s: %d, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "-1MiB", "many", "1TB", "1.5MiB", "99999999999GiB"} {
		var s size
		if s.Set(text) == nil {
			t.Errorf("%q was accepted as %d", text, s)
		}
	}
}

func TestParseUpstream(t *testing.T) {
	for text, want := range map[string]string{
		"db1:27018": "db1:27018", "db1": "db1:27017", "[::1]:27017": "[::1]:27017", "::1": "[::1]:27017", "127.0.0.1": "127.0.0.1:27017",
		"mongodb://db1": "db1:27017", "mongodb://db1:27019/?replicaSet=rs0": "db1:27019", "mongodb://[::1]:1/shop": "[::1]:1",
		"/tmp/mongodb.sock": "unix:/tmp/mongodb.sock", "unix:/tmp/m.sock": "unix:/tmp/m.sock", "mongodb://%2Ftmp%2Fm.sock/": "unix:/tmp/m.sock",
	} {
		if u, err := parseUpstream(text, false); err != nil || u.address != want || u.tls {
			t.Errorf("%s: %+v, %v; want %s", text, u, err, want)
		}
	}
	if u, err := parseUpstream("mongodb://db1:27017/?tls=true", false); err != nil || !u.tls {
		t.Errorf("tls=true: %+v, %v", u, err)
	}
	if u, err := parseUpstream("mongodb://a,b:1/?replicaSet=rs0", true); err != nil || len(u.hosts) != 2 || u.hosts[1] != "b:1" {
		t.Errorf("several hosts: %+v, %v", u, err)
	}
	for text, tls := range map[string]bool{
		"mongodb+srv://cluster.example.net": true, "mongodb+srv://cluster.example.net/?tls=false&srvMaxHosts=2&srvServiceName=other": false,
		"mongodb+srv://cluster.example.net/shop?ssl=false&replicaSet=rs0": false,
	} {
		if u, err := parseUpstream(text, true); err != nil || u.srv.host != "cluster.example.net" || u.tls != tls || len(u.hosts) != 0 {
			t.Errorf("%s: %+v, %v", text, u, err)
		}
	}
	for _, text := range []string{"mongodb+srv://a.b.c:27017", "mongodb+srv://a.b.c,d.b.c", "mongodb+srv:///?tls=true", "mongodb+srv://user:secret@a.b.c", "mongodb+srv://a.b.c/?srvMaxHosts=-1", "mongodb+srv://a.b.c/?srvMaxHosts=x", "mongodb+srv://a.b.c/?tlsInsecure=true"} {
		if u, err := parseUpstream(text, true); err == nil || bytes.Contains([]byte(err.Error()), []byte("secret")) {
			t.Errorf("%s: %+v, %v", text, u, err)
		}
	}
	for _, text := range []string{
		"", "mongodb://user:secret@db1", "user:secret@db1:27017", "http://db1", "mongodb+srv://cluster.example", "mongodb://a,b", "mongodb://db1/?tls=true&tlsCAFile=ca.pem", "mongodb://db1/?tls=yes", "db1:0", "db1:99999", "db1:port", "db1/tmp",
	} {
		_, err := parseUpstream(text, false)
		if err == nil {
			t.Errorf("%q was accepted", text)
		} else if bytes.Contains([]byte(err.Error()), []byte("secret")) {
			t.Errorf("%q: the message repeats the password: %v", text, err)
		}
	}
}

// TestMemoryLimit: what messages may take follows the limit of the process.
func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	c := defaults(store.Staging)
	if got := c.messageMemory(); got != 64<<20 {
		t.Errorf("%d bytes for messages without a limit", got)
	}
	c.MemoryLimit = 100 << 20
	if got := c.messageMemory(); got != 25<<20 || debug.SetMemoryLimit(-1) != 100<<20 {
		t.Errorf("%d bytes for messages, limit %d", got, debug.SetMemoryLimit(-1))
	}
	c.MemoryLimit, c.Analysis.MaxMemory = 1<<30, 10<<20
	if got := c.messageMemory(); got != 10<<20 {
		t.Errorf("%d bytes for messages, want what is configured", got)
	}
}
