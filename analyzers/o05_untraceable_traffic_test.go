package analyzers

import (
	"strings"
	"testing"
)

// Clients are given an address that leads to the proxy, and its owner the
// command that makes it stand for all members.
func TestBypassFix(t *testing.T) {
	hosts := []string{"db1:27017", "db2:27017"}
	for _, c := range []struct {
		listeners  []string
		uri, start string
	}{
		{[]string{"127.0.0.1:27217"}, "mongodb://127.0.0.1:27217/?directConnection=true", "--topology --upstream 'mongodb://db1:27017,db2:27017/'"},
		{[]string{"[::]:27217"}, "mongodb://<proxy>:27217/?directConnection=true", "--topology"},
		{[]string{":27217", "proxy.example:27218"}, "mongodb://proxy.example:27218/?directConnection=true", "--topology"},
		{[]string{"unix:/run/m.sock", "127.0.0.1:0"}, "mongodb://%2Frun%2Fm.sock/?directConnection=true", "--topology"},
		{[]string{"127.0.0.1:0"}, "mongodb://<proxy>/?directConnection=true", "--topology"},
	} {
		ours, others := advertised(hosts, c.listeners)
		fix := bypassFix(ours, others, c.listeners)
		if fix.Mongosh != c.uri || !strings.Contains(fix.Text, c.start) {
			t.Errorf("%v: %s; %s", c.listeners, fix.Mongosh, fix.Text)
		}
	}
	listeners := []string{"127.0.0.1:1", "127.0.0.1:2"}
	ours, others := advertised([]string{"127.0.0.1:2", "db3:27017"}, listeners)
	if fix := bypassFix(ours, others, listeners); fix.Mongosh != "mongodb://127.0.0.1:2/?directConnection=true" || !strings.Contains(fix.Text, "--topology-max-members") {
		t.Errorf("one member without a listener: %+v", fix)
	}
	if _, others := advertised(hosts, nil); others != nil {
		t.Errorf("a source without listeners says %v", others)
	}
}
