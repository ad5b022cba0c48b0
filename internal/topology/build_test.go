package topology

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/wire"
)

func le(n int32) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(n)) }

func document(t testing.TB, d any) []byte {
	t.Helper()
	b, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// packet puts a header in front of a body.
func packet(op wire.OpCode, id, to int32, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return slices.Concat(le(int32(wire.HeaderSize+len(body))), le(id), le(to), le(int32(op)), body)
}

func msg(t testing.TB, id, to int32, flags wire.MsgFlags, d any) []byte {
	t.Helper()
	b := packet(wire.OpMsg, id, to, le(int32(flags)), []byte{0}, document(t, d))
	if flags.Has(wire.ChecksumPresent) {
		binary.LittleEndian.PutUint32(b, uint32(len(b)+4))
		b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	}
	return b
}

func query(t testing.TB, id int32, collection string, d any) []byte {
	t.Helper()
	return packet(wire.OpQuery, id, 0, le(0), []byte(collection), []byte{0}, le(0), le(-1), document(t, d))
}

func legacyReply(t testing.TB, id, to int32, d any) []byte {
	t.Helper()
	return packet(wire.OpReply, id, to, le(8), make([]byte, 12), le(1), document(t, d))
}

// compressed wraps a message: 1 is snappy, 2 zlib, 3 zstd.
func compressed(t testing.TB, compressor byte, b []byte) []byte {
	t.Helper()
	body := b[wire.HeaderSize:]
	var payload []byte
	switch compressor {
	case 1:
		payload = snappy.Encode(nil, body)
	case 2:
		var out bytes.Buffer
		w := zlib.NewWriter(&out)
		_, _ = w.Write(body)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		payload = out.Bytes()
	case 3:
		e, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		payload = e.EncodeAll(body, nil)
		_ = e.Close()
	}
	return packet(wire.OpCompressed, i32(b[4:]), i32(b[8:]), b[12:16], le(int32(len(body))), []byte{compressor}, payload)
}

// hellos and what members answer.
func hi(name string) bson.D { return bson.D{{Key: name, Value: 1}, {Key: "$db", Value: "admin"}} }

func helloReply(hosts ...string) bson.D {
	return bson.D{
		{Key: "topologyVersion", Value: bson.D{{Key: "hosts", Value: bson.A{"db1:27017"}}, {Key: "counter", Value: int64(6)}}},
		{Key: "speculativeAuthenticate", Value: bson.D{{Key: "me", Value: "db1:27017"}}},
		{Key: "hosts", Value: hosts},
		{Key: "setName", Value: "rs0"},
		{Key: "setVersion", Value: int32(3)},
		{Key: "isWritablePrimary", Value: true},
		{Key: "primary", Value: "db1:27017"},
		{Key: "tags", Value: bson.D{{Key: "primary", Value: "db1:27017"}}},
		{Key: "me", Value: "DB1:27017"},
		{Key: "electionId", Value: bson.ObjectID{11: 1}},
		{Key: "lastWrite", Value: "db1:27017"},
		{Key: "ok", Value: 1.0},
	}
}

// helloOut is helloReply with db1 replaced where it is a name; hosts come as they
// are to go out.
func helloOut(hosts ...string) bson.D {
	d := helloReply(hosts...)
	d[6].Value, d[8].Value = "127.0.0.1:27217", "127.0.0.1:27217"
	return d
}

// recorded keeps events.
type recorded struct {
	mu     sync.Mutex
	events []string
}

func (r *recorded) report(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf("%s %s %s", e.Kind, e.Member, e.Addr))
}

func (r *recorded) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.events, "\n")
}

// threeMembers is a map of db1 to db3 on ports 27217 to 27219, and more from there.
func threeMembers(host string, r *recorded) *Map {
	c := Config{Listen: func(_ string, i int) (string, error) { return net.JoinHostPort(host, fmt.Sprint(27217+i)), nil }}
	if r != nil {
		c.Report = r.report
	}
	m := NewMap(c)
	m.Add("db3:27017", "DB2:27017", "db1:27017")
	return m
}

// streams are recorded ones, a pair for each workload.
func streams(t testing.TB) map[string][2][]byte {
	t.Helper()
	clients, err := filepath.Glob("../../wire/testdata/streams/*.client.bin")
	if err != nil || len(clients) == 0 {
		t.Fatal("no recorded streams", err)
	}
	all := map[string][2][]byte{}
	for _, path := range clients {
		client, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		server, err := os.ReadFile(strings.Replace(path, ".client.", ".server.", 1))
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".client.bin")] = [2][]byte{client, server}
	}
	return all
}
