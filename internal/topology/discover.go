package topology

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/wire"
)

// Found is what a seed says of its deployment.
type Found struct {
	Set     string   // name of the replica set; "": there is none
	Members []string // of the set, as it spells them, sorted; hidden ones are not told
	Router  bool     // a mongos
}

// seedTimeout is how long one seed may take to answer.
const seedTimeout = 5 * time.Second

// Discover asks seeds in turn for their replica set, until one knows. The
// members have the names the set gives them, whatever a seed is called. dial
// opens a connection, with TLS if that is wanted; no user is needed. When no
// seed answers, the error says why for each.
func Discover(ctx context.Context, seeds []string, dial func(ctx context.Context, address string) (net.Conn, error)) (Found, error) {
	if len(seeds) == 0 {
		return Found{}, errors.New("no seed to ask")
	}
	errs := make([]error, 0, len(seeds))
	for _, seed := range seeds {
		found, err := ask(ctx, seed, dial)
		if err == nil {
			return found, nil
		}
		errs = append(errs, fmt.Errorf("%s: %w", seed, err))
	}
	return Found{}, fmt.Errorf("no seed tells its replica set: %w", errors.Join(errs...))
}

func ask(ctx context.Context, seed string, dial func(context.Context, string) (net.Conn, error)) (Found, error) {
	ctx, cancel := context.WithTimeout(ctx, seedTimeout)
	defer cancel()
	c, err := dial(ctx, seed)
	if err != nil {
		return Found{}, err
	}
	defer func() { _ = c.Close() }()
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })()
	if _, err := c.Write(helloRequest()); err != nil {
		return Found{}, err
	}
	reply, err := readReply(c)
	if err != nil {
		return Found{}, err
	}
	return readFound(reply)
}

// helloRequest is {isMaster: 1, helloOk: true, $db: "admin"}: every server since
// 3.6 knows it, hello itself is newer.
func helloRequest() []byte {
	doc := bsoncore.NewDocumentBuilder().AppendInt32("isMaster", 1).AppendBoolean("helloOk", true).AppendString("$db", "admin").Build()
	b := make([]byte, wire.HeaderSize+4+1, wire.HeaderSize+4+1+len(doc))
	b = append(b, doc...)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint32(b[4:], 1) // request id
	binary.LittleEndian.PutUint32(b[12:], uint32(wire.OpMsg))
	return b
}

// readReply reads one message of at most maxRequest bytes; a hello has some
// thousand.
func readReply(r io.Reader) (bsoncore.Document, error) {
	header := make([]byte, wire.HeaderSize)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, fmt.Errorf("no answer: %w", err)
	}
	n := i32(header)
	if n < wire.HeaderSize || n > maxRequest {
		return nil, errors.New("the answer is not MongoDB's")
	}
	body := make([]byte, int(n)-wire.HeaderSize)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("cut answer: %w", err)
	}
	m, err := open(append(header, body...), maxRequest)
	return m.doc, err
}

func readFound(doc bsoncore.Document) (Found, error) {
	if ok, _ := doc.Lookup("ok").AsFloat64OK(); ok != 1 {
		text, _ := doc.Lookup("errmsg").StringValueOK()
		return Found{}, fmt.Errorf("refused: %.200s", text)
	}
	if msg, _ := doc.Lookup("msg").StringValueOK(); msg == "isdbgrid" {
		return Found{Router: true}, nil
	}
	v := readView(doc)
	if v.set == "" {
		if uninitiated, _ := doc.Lookup("isreplicaset").BooleanOK(); uninitiated {
			return Found{}, errors.New("it has no configuration of its replica set")
		}
		return Found{}, nil
	}
	return Found{Set: v.set, Members: sorted(v.members)}, nil
}
