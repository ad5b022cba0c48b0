package e2e

import (
	"errors"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestUpstreamComesBackInAnotherRole: a primary dies and is a secondary when it is
// back. Who is connected to it through the proxy, without --topology, is told what
// it tells everybody; reads go on; and the log has no error but that it was away.
func TestUpstreamComesBackInAnotherRole(t *testing.T) {
	t.Parallel()
	set := mongodtest.StartSet(t, mongod.SetOptions{})
	member, err := set.Primary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := startProxy(t, member.Addr())
	proxied := connect(t, p.uri("&retryWrites=false&timeoutMS=20000"), "app").Database("shop")
	direct := connect(t, "mongodb://"+member.Addr()+"/?directConnection=true&retryWrites=false&timeoutMS=20000", "app").Database("shop")
	if _, err := proxied.Collection("c").InsertOne(t.Context(), bson.D{{Key: "_id", Value: 1}}); err != nil {
		t.Fatalf("a write to the primary: %v", err)
	}
	if err := member.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the proxy has found the member gone", func() bool {
		_ = proxied.Client().Ping(t.Context(), nil)
		return strings.Contains(p.errors(), "upstream unreachable")
	})
	if _, err := set.Primary(t.Context()); err != nil { // of those that are left
		t.Fatal(err)
	}
	if err := member.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := set.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now, err := set.Primary(t.Context()); err != nil || now == member {
		t.Skipf("the member was elected again, %v", err)
	}
	code := func(db *mongo.Database) (code int32, message string) {
		_, err := db.Collection("c").InsertOne(t.Context(), bson.D{{Key: "a", Value: 1}})
		var refused mongo.CommandError
		if !errors.As(err, &refused) {
			t.Fatalf("a write to a secondary: %v", err)
		}
		return refused.Code, refused.Message
	}
	eventually(t, "both are connected again", func() bool {
		return proxied.Client().Ping(t.Context(), nil) == nil && direct.Client().Ping(t.Context(), nil) == nil
	})
	there, why := code(direct)
	if got, says := code(proxied); got != there || says != why || got == 0 {
		t.Errorf("through the proxy the error is %d %q, directly %d %q", got, says, there, why)
	}
	read := options.Collection().SetReadPreference(readpref.SecondaryPreferred())
	if n, err := proxied.Collection("c", read).CountDocuments(t.Context(), bson.D{{Key: "_id", Value: 1}}); err != nil || n > 1 {
		t.Errorf("a read from the secondary: %d, %v", n, err)
	}
	for line := range strings.Lines(p.errors()) {
		if strings.Contains(line, `"level":"error"`) && !strings.Contains(line, "upstream unreachable") {
			t.Errorf("the log has %s", line)
		}
	}
	if !strings.Contains(string(p.get("/metrics")), `mongoadvisor_upstream_up{listener="`+p.addr+`"} 1`) {
		t.Error("the upstream does not count as up again")
	}
}
