package proxy

import (
	"bytes"
	"io"
	"net"
	"testing"
)

// The largest message has 48,000,000 bytes. No size is special here.
const bulkSize = 48_000_000

func TestBulkFromClient(t *testing.T) {
	s, u := bulkServer(t)
	client, server := pair(t, s, u)
	checkBulk(t, client, server)
}

func TestBulkFromServer(t *testing.T) {
	s, u := bulkServer(t)
	client, server := pair(t, s, u)
	checkBulk(t, server, client)
}

func bulkServer(t *testing.T) (*Server, *testUpstream) {
	u := newUpstream(t, "127.0.0.1:0")
	return start(t, &Server{Upstream: u.address()}), u
}

func checkBulk(t *testing.T, from, to *net.TCPConn) {
	data := noise(7, bulkSize)
	sent := make(chan error, 1)
	go func() {
		_, err := from.Write(data)
		from.CloseWrite()
		sent <- err
	}()
	got, err := io.ReadAll(to)
	if sendErr := <-sent; err != nil || sendErr != nil {
		t.Fatal(err, sendErr)
	}
	if !bytes.Equal(got, data) {
		t.Fatal("other bytes arrived than were sent")
	}
}
