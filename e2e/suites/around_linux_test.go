package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A suite that talks to a server itself is found out, whatever its tests say.
func TestGoingRoundTheProxyIsSeen(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	host, port, _ := net.SplitHostPort(server.Addr().String())
	for name, script := range map[string]string{
		"round":   "exec 3<>/dev/tcp/" + host + "/" + port + "\nsleep 3\n",
		"through": "sleep 3\n",
	} {
		r := &runner{suites: t.TempDir(), cache: t.TempDir(), dir: t.TempDir()}
		folder := filepath.Join(r.suites, "s")
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		script = "#!/usr/bin/env bash\n" + script + "printf 'pass\\tfirst\\n'\n"
		if err := os.WriteFile(filepath.Join(folder, "run"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		v := visit{uri: "mongodb://unused", hidden: []string{"127.0.0.1:1", server.Addr().String()}}
		_, err := r.execute(t.Context(), suite{Name: "s", Limit: "1m"}, cell{Suite: "s", Version: "1", TLS: off}, v)
		if got, want := err != nil && strings.Contains(err.Error(), server.Addr().String()), name == "round"; got != want {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
