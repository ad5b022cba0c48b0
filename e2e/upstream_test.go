package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestUpstreamKilledUnderLoad kills the server while clients work and brings
// it back: clients see errors and never a hang or another's answer, and the
// proxy serves them again by itself.
func TestUpstreamKilledUnderLoad(t *testing.T) {
	t.Parallel()
	server := mongodtest.Start(t)
	p := startProxy(t, server.Addr())
	coll := connect(t, p.uri("&timeoutMS=10000"), "load").Database("shop").Collection("answers")
	journaled := options.Collection().SetWriteConcern(writeconcern.Journaled()) // a killed server forgets the last 100 ms of others
	stored := coll.Database().Collection(coll.Name(), journaled)
	for i := range 50 {
		if _, err := stored.InsertOne(t.Context(), bson.D{{Key: "_id", Value: i}, {Key: "text", Value: answer(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var reads, failures atomic.Int64
	var lastError atomic.Value
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%d reads, %d failures, the last: %v\n%s", reads.Load(), failures.Load(), lastError.Load(), p.errors())
		}
	})
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := w; ctx.Err() == nil; i = (i + 7) % 50 {
				var doc struct {
					ID   int    `bson:"_id"`
					Text string `bson:"text"`
				}
				err := coll.FindOne(ctx, bson.D{{Key: "_id", Value: i}}).Decode(&doc)
				switch {
				case err != nil:
					failures.Add(1)
					lastError.Store(err.Error())
				case doc.ID != i || doc.Text != answer(i):
					t.Errorf("asked for %d, got %d %q", i, doc.ID, doc.Text)
				default:
					reads.Add(1)
				}
			}
		})
	}
	for round := range 2 {
		before := reads.Load()
		eventually(t, "clients read", func() bool { return reads.Load() > before+200 })
		failed := failures.Load()
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "clients notice", func() bool { return failures.Load() > failed })
		eventually(t, "the metric moves", func() bool {
			return strings.Contains(string(p.get("/metrics")), `mongoadvisor_upstream_up{listener="`+p.addr+`"} 0`)
		})
		if err := server.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		after := reads.Load()
		eventually(t, fmt.Sprintf("clients read again after kill %d", round+1), func() bool { return reads.Load() > after+200 })
	}
	cancel()
	wg.Wait()
	if n := strings.Count(p.errors(), "upstream unreachable"); n < 1 || n > 20 {
		t.Errorf("%d lines say that the upstream is unreachable, want a few", n)
	}
	if !strings.Contains(p.errors(), server.Addr()) {
		t.Error("the log does not name the upstream")
	}
}

func answer(i int) string { return strings.Repeat(fmt.Sprintf("answer %d;", i), 200) }

// TestUpstreamNeverThere: the client's connection is closed, not answered, and
// the proxy stays up.
func TestUpstreamNeverThere(t *testing.T) {
	p := startProxy(t, freePort(t))
	for range 3 {
		conn, err := net.Dial("tcp", p.addr)
		if err != nil {
			if isReset(err) {
				continue
			}
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
		n, err := conn.Read(make([]byte, 1))
		if n != 0 || err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("read %d bytes, %v; want a closed connection", n, err)
		}
		_ = conn.Close()
	}
	if !strings.Contains(p.errors(), "upstream unreachable") {
		t.Error("nothing in the log")
	}
}

func isReset(err error) bool { return strings.Contains(err.Error(), "reset") }
