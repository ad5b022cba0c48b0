package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mongoadvisor/e2e/harness"
	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// shellReport is what drivers/mongosh_survives.js has seen.
type shellReport struct {
	Acknowledged, Delivered []int
	Failed, Names           []string
	StepDowns               int
}

// TestShellSurvives: mongosh, given the three listeners as a replica set, writes
// and follows a change stream while its primary steps down, is killed and comes
// back. It loses nothing, sees nothing twice, and only ever talks to the proxy,
// whose rules see all it does.
func TestShellSurvives(t *testing.T) {
	t.Parallel()
	root := os.Getenv(envNode)
	if root == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set, and CI is set", envNode)
		}
		t.Skipf("set %s to run it", envNode)
	}
	set := mongodtest.StartSet(t, mongod.SetOptions{})
	listeners, err := harness.Ports(3)
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for _, m := range set.Members {
		hosts = append(hosts, m.Addr())
	}
	p := startProxy(t, "mongodb://"+strings.Join(hosts, ",")+"/?replicaSet=rs0", "--topology", "--listen", listeners[0])
	got, opened := survive(t, set, root, "mongodb://"+strings.Join(listeners, ",")+"/?replicaSet=rs0")
	if got.StepDowns != 1 || len(got.Acknowledged) < 120 {
		t.Fatalf("too little happened: %+v", got)
	}
	t.Logf("%d writes acknowledged, %d failed, %d events, %d connections", len(got.Acknowledged), len(got.Failed), len(got.Delivered), len(opened))
	stored := storedNumbers(t, set)
	for _, n := range got.Acknowledged {
		if c := occurrences(stored, n); c != 1 {
			t.Errorf("document %d was acknowledged, and is there %d times", n, c)
		}
	}
	if !slices.Equal(got.Delivered, stored) {
		t.Errorf("the change stream delivered %v, and stored in this order are %v", got.Delivered, stored)
	}
	slices.Sort(opened)
	for what, names := range map[string][]string{"was told of": got.Names, "connected to": slices.Compact(opened)} {
		if len(names) == 0 {
			t.Errorf("the shell %s nothing", what)
		}
		for _, name := range names {
			if !slices.Contains(listeners, name) {
				t.Errorf("the shell %s %s, which is none of %v", what, name, listeners)
			}
		}
	}
	p.settled()
	found, coverage := p.report()
	if coverage["ratio"] != 1.0 {
		t.Errorf("coverage %v", coverage)
	}
	metrics := p.samples()
	if n := metrics[`mongoadvisor_commands_total{command="insert"}`]; n < float64(len(got.Acknowledged)) {
		t.Errorf("%v inserts were judged, %d were acknowledged", n, len(got.Acknowledged))
	}
	for name, n := range metrics {
		for _, bad := range []string{"mongoadvisor_undecoded_messages_total", "mongoadvisor_shed_messages_total", "mongoadvisor_rule_panics_total", "mongoadvisor_tap_panics_total"} {
			if strings.HasPrefix(name, bad) && n > 0 {
				t.Errorf("%s is %v", name, n)
			}
		}
	}
	if slices.ContainsFunc(found, func(f finding) bool { return f.Reason == "bypass" }) {
		t.Errorf("a finding says that clients go round the proxy: %+v", found)
	}
}
