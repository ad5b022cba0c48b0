package main

import (
	"bufio"
	"bytes"
	"net"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The canned upstream answers each request, in order, however many come at once.
func TestCannedAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			_ = cannedConn(c)
		}
	}()
	c, err := place{addr: l.Addr().String()}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, x := range []struct {
		request, reply []byte
		n              int
	}{{helloRequest, helloReply, 1}, {findRequest, findReply, 16}, {insertRequest, insertReply, 2}, {bulkRequest, bulkReply, 1}} {
		size, err := c.turn(x.request, x.n)
		if err != nil || size != int64(x.n*len(x.reply)) {
			t.Errorf("%d bytes, %v; want %d replies of %d", size, err, x.n, len(x.reply))
		}
	}
	if len(bulkReply) < bulkSize {
		t.Errorf("the reply called 8 MiB has %d bytes", len(bulkReply))
	}
	var doc bson.D
	if err := bson.Unmarshal(findReply[headerSize+5:], &doc); err != nil {
		t.Error(err)
	}
}

// A reply to another request is noticed: a forwarder that mixes them up is not
// measured as a fast one.
func TestTurnNoticesAnotherReply(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	go func() {
		defer theirs.Close()
		_, _ = theirs.Read(make([]byte, 4096))
		b := bytes.Clone(helloReply)
		answers(b, 77)
		_, _ = theirs.Write(b)
	}()
	c := &client{conn: ours, r: bufio.NewReader(ours)}
	if _, err := c.turn(helloRequest, 1); err == nil || !strings.Contains(err.Error(), "77") {
		t.Errorf("got %v", err)
	}
}

func TestFigures(t *testing.T) {
	if s := over([]float64{3, 1, 2}); s != (spread{2, 1, 3}) {
		t.Error(s)
	}
	if s := over([]float64{4, 2}); s != (spread{3, 2, 4}) {
		t.Error(s)
	}
	if s := over(nil); s.String() != "–" {
		t.Error(s)
	}
	a, b := []sample{{Ops: 10, Elapsed: time.Second}, {Ops: 30, Elapsed: time.Second}}, []sample{{Ops: 20, Elapsed: time.Second}, {Ops: 20, Elapsed: time.Second}}
	if r := ratios(a, b, sample.rate); len(r) != 2 || r[0] != 0.5 || r[1] != 1.5 {
		t.Error(r)
	}
	var s sample
	var all []time.Duration
	for i := range 1000 {
		all = append(all, time.Duration(999-i))
	}
	if s.times(all); s.P50 != 500 || s.P99 != 990 || s.P999 != 999 {
		t.Error(s.P50, s.P99, s.P999)
	}
}

func TestPageKeepsTheRest(t *testing.T) {
	page := []byte("before\n" + tableStart + "old" + tableEnd + "after\n")
	got, err := replaceTable(page, []byte("new\n"))
	if want := "before\n" + tableStart + "new\n" + tableEnd + "after\n"; err != nil || string(got) != want {
		t.Errorf("%v: %s", err, got)
	}
	if _, err := replaceTable([]byte("no table"), nil); err == nil {
		t.Error("a page without the lines is no error")
	}
}
