package topology

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

func dial(ctx context.Context, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "tcp", address)
}

func TestDiscoverReal(t *testing.T) {
	alone := mongodtest.Start(t)
	if found, err := Discover(t.Context(), []string{alone.Addr()}, dial); err != nil || found.Set != "" || found.Members != nil || found.Router {
		t.Errorf("standalone: %+v, %v", found, err)
	}
	set := mongodtest.StartWith(t, mongod.StartOptions{ReplSet: "rs7"})
	alias := strings.Replace(set.Addr(), "127.0.0.1", "localhost", 1)
	found, err := Discover(t.Context(), []string{alias}, dial)
	if err != nil || found.Set != "rs7" || !slices.Equal(found.Members, []string{set.Addr()}) {
		t.Errorf("set: %+v, %v", found, err)
	}
}

// answers is a seed that reads one request and answers it.
func answers(reply []byte) func(context.Context, string) (net.Conn, error) {
	return func(context.Context, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			if _, err := io.ReadFull(theirs, make([]byte, len(helloRequest()))); err == nil {
				_, _ = theirs.Write(reply)
			}
		}()
		return ours, nil
	}
}

func TestDiscoverAnswers(t *testing.T) {
	set := view3(1, true, "b:1", []string{"b:1", "A:2"}, []string{"p:1"}, []string{"z:1"})
	for what, c := range map[string]struct {
		reply []byte
		want  Found
		err   string
	}{
		"set":       {reply: msg(t, 2, 1, 0, append(set, bson.E{Key: "ok", Value: 1})), want: Found{Set: "rs0", Members: []string{"A:2", "b:1", "p:1", "z:1"}}},
		"router":    {reply: msg(t, 2, 1, 0, bson.D{{Key: "msg", Value: "isdbgrid"}, {Key: "ok", Value: 1.0}}), want: Found{Router: true}},
		"no config": {reply: msg(t, 2, 1, 0, bson.D{{Key: "isreplicaset", Value: true}, {Key: "ok", Value: 1.0}}), err: "no configuration"},
		"refused":   {reply: msg(t, 2, 1, 0, bson.D{{Key: "ok", Value: 0.0}, {Key: "errmsg", Value: "go away"}}), err: "go away"},
		"HTTP":      {reply: []byte("HTTP/1.0 200 OK\r\n\r\n"), err: "not MongoDB's"},
		"silence":   {err: "no answer"},
		"cut":       {reply: msg(t, 2, 1, 0, set)[:40], err: "cut"},
	} {
		found, err := Discover(t.Context(), []string{"seed1:1"}, answers(c.reply))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), "seed1:1") {
				t.Errorf("%s: %v", what, err)
			}
		} else if err != nil || found.Set != c.want.Set || found.Router != c.want.Router || !slices.Equal(found.Members, c.want.Members) {
			t.Errorf("%s: %+v, %v", what, found, err)
		}
	}
}

// A seed that says nothing does not hold a start up, and each is named.
func TestDiscoverNamesEachSeed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	refuse := func(_ context.Context, address string) (net.Conn, error) {
		if address == "mute:1" {
			ours, theirs := net.Pipe()
			t.Cleanup(func() { theirs.Close() })
			cancel() // stands for the five seconds
			return ours, nil
		}
		return nil, errors.New("nobody at " + address)
	}
	_, err := Discover(ctx, []string{"a:1", "mute:1", "b:1"}, refuse)
	for _, want := range []string{"a:1: nobody at a:1", "mute:1: ", "b:1: nobody at b:1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in %v", want, err)
		}
	}
	if _, err := Discover(t.Context(), nil, dial); err == nil {
		t.Error("no seed is no error")
	}
}
