package e2e

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// scenario is a piece of an application that a real driver sends to a real
// server through the proxy. With a rule it must cause exactly one finding, that
// of the rule; without one, none.
type scenario struct {
	name         string
	rule, reason string
	coll         string   // the finding's collection; "" for one on no collection
	flags        []string // of the proxy, beside --profile ci
	profiles     []string // run once for each; only ci when empty
	app          string   // name of the application; "shop" when empty
	replSet      bool     // needs a replica set; O05, which sees that it is one, is off
	// prepare fills the database, past the proxy.
	prepare func(ctx context.Context, db *mongo.Database) error
	run     func(ctx context.Context, db *mongo.Database) error
}

// scenarios are those of every group; each group's are in a file of their own.
var scenarios = slices.Concat(quietScenarios, queryScenarios, arrayScenarios, readScenarios, aggregationScenarios, writeScenarios, schemaScenarios, operationScenarios)

// TestScenarios holds the must-fire and the must-stay-silent set against a real
// server.
func TestScenarios(t *testing.T) {
	single := mongodtest.Start(t)
	set := mongodtest.StartWith(t, mongod.StartOptions{ReplSet: "rs0", Args: []string{"--setParameter", "enableTestCommands=1"}})
	clients := map[bool]*mongo.Client{false: connect(t, single.URI(), "prepare"), true: connect(t, set.URI(), "prepare")}
	for i, s := range scenarios {
		profiles := s.profiles
		if len(profiles) == 0 {
			profiles = []string{"ci"}
		}
		for j, profile := range profiles {
			t.Run(s.name+"/"+profile, func(t *testing.T) {
				database := scenarioDatabase(i, j)
				if s.prepare != nil {
					if err := s.prepare(t.Context(), clients[s.replSet].Database(database)); err != nil {
						t.Fatal(err)
					}
				}
				flags, server := append(s.flags[:len(s.flags):len(s.flags)], "--profile", profile), single
				if s.replSet {
					flags, server = append(flags, "--rules=-O05"), set
				}
				p := startProxy(t, server.Addr(), flags...)
				client := connect(t, p.uri(""), cmp.Or(s.app, "shop"))
				if err := s.run(t.Context(), client.Database(database)); err != nil {
					t.Fatal(err)
				}
				p.settled()
				s.check(t, p, database)
			})
		}
	}
}

// scenarioDatabase names a database without digits: those in a name look like a
// slot for a tenant.
func scenarioDatabase(i, j int) string {
	return "scenario_" + string([]byte{byte('a' + i/26%26), byte('a' + i%26), byte('a' + j)})
}

func (s scenario) check(t *testing.T, p *proxied, database string) {
	found, coverage := p.report()
	want := 0
	if s.rule != "" {
		want = 1
	}
	for _, f := range found {
		ns := database
		if s.coll != "" {
			ns += "." + s.coll
		}
		if want == 1 && f.Rule == s.rule && f.Reason == s.reason && (f.Namespace == ns || s.coll == "") {
			want = 0
			continue
		}
		t.Errorf("%s %s on %s, %d times: %s", f.Rule, f.Reason, f.Namespace, f.Count, f.Message)
	}
	if want == 1 {
		t.Errorf("no finding %s %s on %s", s.rule, s.reason, s.coll)
	}
	if coverage["ratio"] != 1.0 {
		t.Errorf("coverage %v", coverage)
	}
}
