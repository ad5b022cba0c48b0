package mongod_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// connect gives a collection on the server, with journalled writes.
func connect(t *testing.T, uri string) *mongo.Collection {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetWriteConcern(writeconcern.Journaled()).
		SetServerSelectionTimeout(20 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the server has stopped: nobody takes the end of the sessions
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_ = client.Disconnect(ctx)
	})
	return client.Database("t").Collection("c")
}

func mustCount(t *testing.T, c *mongo.Collection, want int64) {
	t.Helper()
	if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != want {
		t.Fatalf("%d documents, %v; want %d", n, err, want)
	}
}

func TestKillAndRestartKeepTheData(t *testing.T) {
	p := mongodtest.Start(t)
	c := connect(t, p.URI())
	if _, err := c.InsertOne(t.Context(), bson.D{{Key: "a", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	addr := p.Addr()
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil { // it has ended
		t.Fatal(err)
	}
	if err := p.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.Addr() != addr {
		t.Errorf("it moved from %s to %s", addr, p.Addr())
	}
	mustCount(t, c, 1)
	if err := p.Restart(t.Context()); err != nil { // while it runs
		t.Fatal(err)
	}
	mustCount(t, c, 1)
}

func TestStopTwice(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	p := mongodtest.Start(t)
	began := time.Now()
	for range 2 {
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	if left, _ := os.ReadDir(tmp); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := p.Restart(t.Context()); err == nil {
		t.Error("a stopped server started again")
	}
}

func TestDataUnderAGivenFolderStays(t *testing.T) {
	dir := t.TempDir()
	p := mongodtest.StartWith(t, mongod.StartOptions{Dir: dir})
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*", "WiredTiger.wt")); len(found) != 1 {
		t.Errorf("found %v", found)
	}
}

func TestReplicaSetOfOne(t *testing.T) {
	p := mongodtest.StartWith(t, mongod.StartOptions{ReplSet: "rs0"})
	c := connect(t, "mongodb://"+p.Addr()+"/?replicaSet=rs0")
	if _, err := c.InsertOne(t.Context(), bson.D{{Key: "a", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := p.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustCount(t, c, 1)
	began := time.Now()
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("stopping took %s", took)
	}
}
