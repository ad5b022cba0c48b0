package e2e

import (
	"context"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// BenchmarkFind compares small finds on the real mongod, directly and through
// the proxy with every rule on. Client, proxy and server share the machine.
// Run the sides together and compare their ratio, not the figures:
//
//	go test ./e2e -run '^$' -bench Find -benchtime 3s -count 5
func BenchmarkFind(b *testing.B) {
	server := mongodtest.Start(b)
	p := startProxy(b, server.Addr())
	for _, side := range []struct{ name, uri string }{{"direct", server.URI()}, {"proxied", p.uri("")}, {"direct2", server.URI()}} {
		client, err := mongo.Connect(options.Client().ApplyURI(side.uri).SetAppName("bench").SetMaxPoolSize(32))
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = client.Disconnect(context.Background()) }()
		coll := client.Database("bench").Collection("c")
		if _, err := coll.UpdateOne(b.Context(), bson.D{{Key: "_id", Value: 1}}, bson.D{{Key: "$set", Value: bson.D{{Key: "a", Value: 1}}}}, options.UpdateOne().SetUpsert(true)); err != nil {
			b.Fatal(err)
		}
		find := func() {
			if err := coll.FindOne(context.Background(), bson.D{{Key: "_id", Value: 1}}).Err(); err != nil {
				b.Error(err)
			}
		}
		b.Run("1/"+side.name, func(b *testing.B) {
			for b.Loop() {
				find()
			}
		})
		b.Run("32/"+side.name, func(b *testing.B) {
			b.SetParallelism(16) // times GOMAXPROCS
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					find()
				}
			})
		})
	}
}
