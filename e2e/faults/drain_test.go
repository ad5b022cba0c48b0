package faults

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/proxy"
	"mongoadvisor/wire"
)

// TestUnacknowledgedWritesWhenDraining: a client sends writes that want no reply
// until it meets the end. All of them have arrived, whole.
func TestUnacknowledgedWritesWhenDraining(t *testing.T) {
	body := bsoncore.BuildDocument(nil, bsoncore.AppendStringElement(nil, "insert", "c"))
	message := analysistest.Message(1, 0, wire.MoreToCome, body, nil)
	judged := 0
	for round := range 50 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		a := newAnalysis()
		p := &proxy.Server{Listen: "127.0.0.1:0", Upstream: l.Addr().String(), NewTap: a.watch}
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		client := dial(t, p.Addrs()[0].String())
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
		sent, arrived, took := drainUnder(t, p, client, server, message)
		a.end(t)
		if took >= time.Second {
			continue // so loaded a machine that the client's time was up
		}
		judged++
		if want := bytes.Repeat(message, sent); !bytes.Equal(arrived, want) {
			t.Fatalf("round %d: of %d writes, %d bytes, %d bytes arrived", round, sent, len(want), len(arrived))
		}
	}
	t.Logf("%d rounds judged", judged)
}

// drainUnder stops the proxy under a client that sends without a break.
func drainUnder(t *testing.T, p *proxy.Server, client *net.TCPConn, server net.Conn, message []byte) (sent int, arrived []byte, took time.Duration) {
	t.Helper()
	var group sync.WaitGroup
	var ended atomic.Bool
	group.Go(func() {
		_, _ = io.Copy(io.Discard, client)
		ended.Store(true)
	})
	group.Go(func() {
		for ; !ended.Load(); sent++ {
			_, _ = client.Write(message)
		}
		_ = client.CloseWrite()
	})
	group.Go(func() {
		arrived, _ = io.ReadAll(server)
		_ = server.Close()
	})
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	if err := p.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	took = time.Since(began)
	client.Close()
	group.Wait()
	return sent, arrived, took
}
