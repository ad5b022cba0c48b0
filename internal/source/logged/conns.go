package logged

import (
	"container/list"
	"strings"
	"unicode"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// maxConns is how many connections are remembered; the least recently used goes
// first, and what its client said of itself with it.
const maxConns = 4096

// conns knows who is behind the server's numbers.
type conns struct {
	byKey map[string]*list.Element
	order *list.List // front: most recently used
	last  uint64
}

type knownConn struct {
	key  string
	conn *op.Conn
}

func newConns() *conns { return &conns{byKey: map[string]*list.Element{}, order: list.New()} }

// of is the connection of a record. A log numbers them, and after a restart begins
// anew: another client is another connection. system.profile does not number them.
func (c *conns) of(key, remote, app string) *op.Conn {
	e, ok := c.byKey[key]
	if !ok {
		e = c.add(key)
	}
	c.order.MoveToFront(e)
	k := e.Value.(*knownConn)
	if remote != "" && k.conn.Client != "" && k.conn.Client != remote {
		c.last++
		k.conn = &op.Conn{ID: c.last}
	}
	app = printable(app)
	if remote != "" && k.conn.Client == "" || app != "" && app != k.conn.App {
		next := *k.conn
		if remote != "" {
			next.Client = strings.Clone(remote)
		}
		if app != "" {
			next.App, next.Handshake = app, true
		}
		k.conn = &next
	}
	return k.conn
}

func (c *conns) add(key string) *list.Element {
	c.last++
	key = strings.Clone(key)
	e := c.order.PushFront(&knownConn{key, &op.Conn{ID: c.last}})
	c.byKey[key] = e
	if c.order.Len() > maxConns {
		oldest := c.order.Back()
		delete(c.byKey, oldest.Value.(*knownConn).key)
		c.order.Remove(oldest)
	}
	return e
}

// introduce takes in what a client said of itself.
func (c *conns) introduce(key, remote string, client bsoncore.Document) *op.Conn {
	app := op.Str(op.Get(op.Doc(op.Get(client, "application")), "name"))
	driver := op.Doc(op.Get(client, "driver"))
	next := *c.of(key, remote, app)
	next.Driver = strings.TrimSpace(printable(op.Str(op.Get(driver, "name"))) + " " + printable(op.Str(op.Get(driver, "version"))))
	next.Handshake = next.Handshake || !member(&next) // a router does not say for whom it asks
	c.byKey[key].Value.(*knownConn).conn = &next
	return &next
}

// member reports whether another server is behind a connection, a router or a
// member of a replica set. The old shell gives the same driver, and its name.
func member(c *op.Conn) bool {
	return strings.HasPrefix(c.Driver, "NetworkInterface") || strings.HasPrefix(c.Driver, "MongoDB Internal Client") && (c.App == "" || c.App == oplogFetcher)
}

const oplogFetcher = "OplogFetcher"

// replicates reports whether a member of the replica set works there for itself:
// it reads the oplog, or repeats reads to keep its memory warm.
func replicates(c *op.Conn) bool {
	return c.App == oplogFetcher || strings.HasPrefix(c.Driver, "NetworkInterfaceTL-Repl") || strings.HasPrefix(c.Driver, "NetworkInterfaceTL-MirrorMaestro")
}

// maxClientName bounds names that a client chooses, in bytes.
const maxClientName = 128

// printable copies a name, without what a terminal would obey.
func printable(s string) string {
	if len(s) > maxClientName {
		s = s[:maxClientName]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.Clone(s))
}
