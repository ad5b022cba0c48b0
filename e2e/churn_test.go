package e2e

import (
	"context"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// atOnce lets O01 judge connections a second after they were opened.
var atOnce = []string{"--limit", "O01.settle=1", "--limit", "O01.minutes=0", "--limit", "O01.connections=20"}

// TestConnectionChurn makes a client for each find, and then a hundred
// connections of one client that work.
func TestConnectionChurn(t *testing.T) {
	server := mongodtest.Start(t)
	if err := numbered(100)(t.Context(), connect(t, server.URI(), "prepare").Database("churn")); err != nil {
		t.Fatal(err)
	}
	read := func(c *mongo.Client) error {
		return c.Database("churn").Collection("c").FindOne(context.Background(), bson.D{{Key: "_id", Value: 1}}).Err()
	}
	each := func(uri string) {
		c, err := mongo.Connect(options.Client().ApplyURI(uri).SetAppName("shop"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Disconnect(context.Background()) }()
		if err := read(c); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		flags []string
		run   func(uri string)
		fires bool
	}{
		{"a client for each find", atOnce, func(uri string) {
			// a machine that stands still for some seconds must not make it fewer
			for start, n := time.Now(), 0; time.Since(start) < 3*time.Second || n < 200; n++ {
				each(uri)
			}
		}, true},
		{"a client for each of a hundred tests", nil, func(uri string) {
			for range 100 {
				each(uri)
			}
		}, false},
		{"a pool under load", atOnce, func(uri string) {
			client := connect(t, uri+"&minPoolSize=100&maxPoolSize=100", "shop")
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					for range 30 {
						if err := read(client); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := startProxy(t, server.Addr(), c.flags...)
			c.run(p.uri(""))
			p.settled()
			found, _ := p.report()
			fired := len(found) == 1 && found[0].Rule == "O01" && found[0].Clients[0].App == "shop"
			if fired != c.fires || !c.fires && len(found) > 0 {
				t.Errorf("findings %+v", found)
			}
		})
	}
}
