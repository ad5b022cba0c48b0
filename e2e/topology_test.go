package e2e

import (
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestTopology: a driver that follows the set's members through --topology only
// ever opens connections to the proxy, and can write.
func TestTopology(t *testing.T) {
	set := mongodtest.StartSet(t, mongod.SetOptions{})
	var hosts []string
	for _, m := range set.Members {
		hosts = append(hosts, m.Addr())
	}
	p := startProxy(t, "mongodb://"+strings.Join(hosts, ",")+"/?replicaSet=rs0", "--topology", "--listen", "127.0.0.1:0")
	uri := p.connectionString()
	opened := make(chan string, 1000)
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetServerSelectionTimeout(20 * time.Second).SetPoolMonitor(&event.PoolMonitor{
		Event: func(e *event.PoolEvent) {
			if e.Type == event.ConnectionCreated {
				opened <- e.Address
			}
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(t.Context()) }()
	for range 20 {
		if _, err := client.Database("shop").Collection("c").InsertOne(t.Context(), bson.D{{Key: "a", Value: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for len(opened) > 0 {
		address := <-opened
		n++
		if !strings.Contains(uri, address) {
			t.Errorf("the driver went round the proxy to %s; clients were told %s", address, uri)
		}
	}
	if n == 0 {
		t.Error("no connection was seen")
	}
	findings, _ := p.report()
	for _, f := range findings {
		if f.Reason == "bypass" {
			t.Errorf("O05 says that clients go round: %s", f.Message)
		}
	}
	metrics := string(p.get("/metrics"))
	for _, want := range []string{`mongoadvisor_topology_members{state="listening"} 3`, `mongoadvisor_topology_events_total{event="joined"} 3`, `mongoadvisor_topology_unread_connections_total{reason="panic"} 0`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if strings.Contains(metrics, `mongoadvisor_topology_messages_total{outcome="rewritten"} 0`) {
		t.Error("/metrics says that nothing was rewritten")
	}
}

// connectionString is what the log tells clients of a replica set to use.
func (p *proxied) connectionString() (uri string) {
	p.t.Helper()
	eventually(p.t, "the log has a connection string", func() bool { // it is written before, and may be read after, the proxy is ready
		_, rest, _ := strings.Cut(p.errors(), `"connection_string":"`)
		uri, _, _ = strings.Cut(rest, `"`)
		return uri != ""
	})
	return uri
}
