package session

import (
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/op"
)

// W-04: hello comes in several spellings and two opcodes.
func TestEveryHelloIsAHandshake(t *testing.T) {
	spellings := []bson.D{
		{{Key: "hello", Value: 1}},
		{{Key: "isMaster", Value: 1}},
		{{Key: "ismaster", Value: 1}},
		{{Key: "isMaster", Value: 1}, {Key: "helloOk", Value: true}},
		{{Key: "isMaster", Value: 1}, {Key: "speculativeAuthenticate", Value: bson.D{{Key: "saslStart", Value: 1}, {Key: "payload", Value: []byte("n,,n=user,r=nonce")}}}},
	}
	for _, d := range spellings {
		r := newRig(t)
		r.client(opQuery(1, "admin.$cmd", d))
		r.server(opReply(2, 1, okReply))
		r.client(opQuery(3, "admin.$cmd", bson.D{{Key: "$query", Value: d}}))
		r.server(opReply(4, 3, okReply))
		r.client(opMsg(5, 0, 0, append(slices.Clone(d), bson.E{Key: "$db", Value: "admin"})))
		r.server(opMsg(6, 5, 0, okReply))
		if got := r.commands(); !slices.Equal(got, []string{"hello", "hello", "hello"}) {
			t.Errorf("%v: %v", d, got)
		}
		for _, o := range r.ops {
			if o.Kind != op.KindHandshake || o.Body != nil || !o.Reply.OK || len(o.Statements()) != 0 {
				t.Errorf("%v: kind %d, body %d bytes", d, o.Kind, len(o.Body))
			}
		}
		r.idle()
	}
}

// The server is case-sensitive, so are we.
func TestMisspeltHelloIsUnknown(t *testing.T) {
	for _, name := range []string{"IsMaster", "Hello"} {
		r := newRig(t)
		r.client(opMsg(1, 0, 0, bson.D{{Key: name, Value: 1}, {Key: "$db", Value: "admin"}}))
		r.server(opMsg(2, 1, 0, bson.D{{Key: "ok", Value: 0.0}, {Key: "code", Value: 59}, {Key: "codeName", Value: "CommandNotFound"}}))
		if o := r.ops[0]; o.Command != op.OtherCommand || o.Reply.OK || o.Reply.Code != 59 || o.Reply.CodeName != "CommandNotFound" {
			t.Errorf("%s: %s, %+v", name, o.Command, o.Reply)
		}
	}
}

func client(app, driver, version string) bson.E {
	return bson.E{Key: "client", Value: bson.D{
		{Key: "application", Value: bson.D{{Key: "name", Value: app}}},
		{Key: "driver", Value: bson.D{{Key: "name", Value: driver}, {Key: "version", Value: version}}},
	}}
}

func TestHandshakeNamesTheClient(t *testing.T) {
	r := newRig(t)
	r.client(opMsg(1, 0, 0, find("before")))
	r.client(opMsg(2, 0, 0, bson.D{{Key: "hello", Value: 1}, client("checkout", "nodejs", "6.3"), {Key: "$db", Value: "admin"}}))
	r.server(opMsg(8, 2, 0, bson.D{{Key: "hosts", Value: bson.A{"db1:27017", "db2:27017"}}, {Key: "ok", Value: 1.0}}))
	r.client(opMsg(3, 0, 0, bson.D{{Key: "hello", Value: 1}, {Key: "$db", Value: "admin"}})) // says nothing of itself
	r.client(opMsg(4, 0, 0, find("after")))
	r.session.Close()
	got := map[string]op.Conn{}
	for _, o := range r.ops {
		got[o.Command+" "+o.NS.Coll] = *o.Conn
	}
	if c := got["find before"]; c.App != "" || c.Handshake {
		t.Errorf("before the handshake: %+v", c)
	}
	if c := got["find after"]; c.App != "checkout" || c.Driver != "nodejs 6.3" || !c.Handshake || c.ID != 1 {
		t.Errorf("after the handshake: %+v", c)
	}
	if hosts := r.ops[0].Hosts; !slices.Equal(hosts, []string{"db1:27017", "db2:27017"}) {
		t.Errorf("hosts %v", hosts)
	}
}

func TestClientNamesAreBoundedAndHarmless(t *testing.T) {
	r := newRig(t)
	r.client(opMsg(1, 0, 0, bson.D{{Key: "hello", Value: 1}, client("a\x1b[31m\u009b\u202eb\x00c\n"+strings.Repeat("x", 400), "d\xff", "1"), {Key: "$db", Value: "admin"}}))
	r.server(opMsg(2, 1, 0, okReply))
	c := r.ops[0].Conn
	if len(c.App) > maxClientName || !strings.HasPrefix(c.App, "a[31mbcx") || c.Driver != "d\uFFFD 1" {
		t.Errorf("app %q, driver %q", c.App, c.Driver)
	}
}
