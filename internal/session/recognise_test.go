package session

import (
	"encoding/binary"
	"hash/maphash"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/wire"
)

func request(t testing.TB, packet []byte) *wire.Message {
	t.Helper()
	var f wire.Framer
	m, _, ok := f.Next(packet)
	if !ok {
		t.Fatal("no message")
	}
	return &m
}

func command(first string, more ...any) bson.D {
	out := bson.D{{Key: first, Value: "orders"}}
	for i := 0; i < len(more); i += 2 {
		out = append(out, bson.E{Key: more[i].(string), Value: more[i+1]})
	}
	return append(out, bson.E{Key: "$db", Value: "shop"})
}

func fields(pairs ...any) bson.D {
	out := bson.D{}
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, bson.E{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return out
}

func numbers(n int) bson.A {
	out := bson.A{}
	for i := range n {
		out = append(out, i)
	}
	return out
}

func TestRecogniseTellsShapesApart(t *testing.T) {
	seed := maphash.MakeSeed()
	base := command("find", "filter", fields("a", 5))
	for name, c := range map[string]struct {
		other bson.D
		same  bool
	}{
		"another value":        {command("find", "filter", fields("a", 6)), true},
		"what drivers add":     {command("find", "filter", fields("a", 5), "lsid", fields("id", 1), "txnNumber", 3), false}, // txnNumber is said, its value is not
		"another field":        {command("find", "filter", fields("b", 5)), false},
		"another type":         {command("find", "filter", fields("a", "5")), false},
		"an operator":          {command("find", "filter", fields("a", fields("$gt", 5))), false},
		"another collection":   {bson.D{{Key: "find", Value: "others"}, {Key: "filter", Value: fields("a", 5)}, {Key: "$db", Value: "shop"}}, false},
		"another database":     {bson.D{{Key: "find", Value: "orders"}, {Key: "filter", Value: fields("a", 5)}, {Key: "$db", Value: "test"}}, false},
		"another command":      {command("count", "filter", fields("a", 5)), false},
		"a plain comment":      {command("find", "filter", fields("a", 5), "comment", "x"), false},
		"a sort":               {command("find", "filter", fields("a", 5), "sort", fields("a", 1)), false},
		"a transaction's part": {command("find", "filter", fields("a", 5), "autocommit", false), false},
	} {
		got := recognise(seed, request(t, opMsg(1, 0, 0, base))) == recognise(seed, request(t, opMsg(9, 0, 0, c.other)))
		if got != c.same {
			t.Errorf("%s: the same is %v", name, got)
		}
	}
	for name, c := range map[string]struct {
		one, other bson.D
		same       bool
	}{
		"sessions":               {command("find", "lsid", fields("id", 1)), command("find", "lsid", fields("id", 2)), true},
		"cluster times":          {command("find", "$clusterTime", fields("t", 1)), command("find", "$clusterTime", fields("t", 2, "u", 3)), true},
		"comments":               {command("find", "comment", "one"), command("find", "comment", "two"), true},
		"marks":                  {command("find", "comment", "mongoadvisor:ignore Q01 x"), command("find", "comment", "mongoadvisor:ignore Q02 x"), false},
		"skips, near":            {command("find", "skip", 1000), command("find", "skip", 1001), true},
		"skips, far":             {command("find", "skip", 1000), command("find", "skip", 100_000), false},
		"directions":             {command("find", "sort", fields("a", 1)), command("find", "sort", fields("a", -1)), false},
		"projections":            {command("find", "projection", fields("a", 1)), command("find", "projection", fields("a", 0)), false},
		"lists, about as long":   {command("find", "filter", fields("a", fields("$in", numbers(200)))), command("find", "filter", fields("a", fields("$in", numbers(201)))), true},
		"lists, longer":          {command("find", "filter", fields("a", fields("$in", numbers(20)))), command("find", "filter", fields("a", fields("$in", numbers(2000)))), false},
		"patterns, other words":  {command("find", "filter", fields("a", bson.Regex{Pattern: "^abc"})), command("find", "filter", fields("a", bson.Regex{Pattern: "^smith"})), true},
		"patterns, other form":   {command("find", "filter", fields("a", bson.Regex{Pattern: "^abc"})), command("find", "filter", fields("a", bson.Regex{Pattern: "abc"})), false},
		"patterns, other option": {command("find", "filter", fields("a", bson.Regex{Pattern: "^abc"})), command("find", "filter", fields("a", bson.Regex{Pattern: "^abc", Options: "i"})), false},
		"$regex":                 {command("find", "filter", fields("a", fields("$regex", "^abc"))), command("find", "filter", fields("a", fields("$regex", ".*abc"))), false},
		"stages":                 {command("aggregate", "pipeline", bson.A{fields("$match", fields("a", 1))}), command("aggregate", "pipeline", bson.A{fields("$group", fields("a", 1))}), false},
		"field paths":            {command("aggregate", "pipeline", bson.A{fields("$unwind", "$a")}), command("aggregate", "pipeline", bson.A{fields("$unwind", "$b")}), false},
		"pushes":                 {command("update", "updates", bson.A{fields("q", fields("a", 1), "u", fields("$push", fields("x", 1)))}), command("update", "updates", bson.A{fields("q", fields("a", 1), "u", fields("$set", fields("x", 1)))}), false},
		"slices":                 {command("update", "updates", bson.A{fields("u", fields("$push", fields("x", fields("$slice", 5))))}), command("update", "updates", bson.A{fields("u", fields("$push", fields("x", fields("$slice", -5))))}), false},
		"multi":                  {command("update", "updates", bson.A{fields("multi", true)}), command("update", "updates", bson.A{fields("multi", false)}), false},
		"documents":              {command("insert", "documents", bson.A{fields("a", 1, "b", "x")}), command("insert", "documents", bson.A{fields("a", 2, "b", "y")}), true},
		"documents' fields":      {command("insert", "documents", bson.A{fields("a", 1)}), command("insert", "documents", bson.A{fields("b", 1)}), false},
		"documents' types":       {command("insert", "documents", bson.A{fields("a", 1)}), command("insert", "documents", bson.A{fields("a", "1")}), false},
		"cursors":                {bson.D{{Key: "getMore", Value: int64(5)}, {Key: "collection", Value: "orders"}}, bson.D{{Key: "getMore", Value: int64(1 << 40)}, {Key: "collection", Value: "orders"}}, true},
	} {
		one, other := request(t, opMsg(1, 0, 0, c.one)), request(t, opMsg(2, 0, 0, c.other))
		if got := recognise(seed, one) == recognise(seed, other); got != c.same {
			t.Errorf("%s: the same is %v", name, got)
		}
		if !sampleable(one) || !sampleable(other) {
			t.Errorf("%s: not sampled", name)
		}
	}
}

// sequenceFirst is an insert whose documents stand before its command, or behind it.
func sequenceMessage(first bool, name string, docs ...bson.D) []byte {
	var documents []byte
	for _, d := range docs {
		documents = append(documents, document(d)...)
	}
	part := append([]byte{1}, binary.LittleEndian.AppendUint32(nil, uint32(4+len(name)+1+len(documents)))...)
	part = append(append(append(part, name...), 0), documents...)
	body := append([]byte{0}, document(command("insert"))...)
	if first {
		return packet(1, 0, wire.OpMsg, append(append(make([]byte, 4), part...), body...))
	}
	return packet(1, 0, wire.OpMsg, append(append(make([]byte, 4), body...), part...))
}

func TestRecogniseSequences(t *testing.T) {
	seed := maphash.MakeSeed()
	hash := func(b []byte) uint64 {
		m := request(t, b)
		if !sampleable(m) {
			t.Error("not sampled")
		}
		return recognise(seed, m)
	}
	one := hash(sequenceMessage(false, "documents", fields("a", 1)))
	if one != hash(sequenceMessage(false, "documents", fields("a", 2))) {
		t.Error("another value is another shape")
	}
	if one == hash(sequenceMessage(false, "documents", fields("b", 1))) {
		t.Error("another field is the same shape")
	}
	if one == hash(sequenceMessage(false, "updates", fields("a", 1))) {
		t.Error("another list is the same shape")
	}
	if a, b := hash(sequenceMessage(true, "documents", fields("a", 1))), hash(sequenceMessage(true, "documents", fields("a", 3))); a != b {
		t.Error("another value is another shape, when the documents come first")
	}
}

// FuzzRecognise: whatever the bytes, a walk ends, and says the same twice.
func FuzzRecognise(f *testing.F) {
	f.Add(opMsg(1, 0, 0, command("find", "filter", fields("a", fields("$in", numbers(300)), "b", bson.Regex{Pattern: "^a.*b"}))), uint16(0))
	f.Add(opMsg(1, 0, wire.ChecksumPresent, command("aggregate", "pipeline", bson.A{fields("$match", fields("a", 1)), fields("$skip", 10)})), uint16(30))
	f.Add(sequenceMessage(true, "updates", fields("q", fields("a", 1), "u", fields("$set", fields("a", true)))), uint16(90))
	seed := maphash.MakeSeed()
	f.Fuzz(func(t *testing.T, b []byte, limit uint16) {
		framer := wire.Framer{Limit: int(limit)}
		for m, rest, ok := framer.Next(b); ok; m, rest, ok = framer.Next(rest) {
			before := recognise(seed, &m)
			if sampleable(&m); recognise(seed, &m) != before {
				t.Error("the same message has two shapes")
			}
		}
	})
}

func BenchmarkRecognise(b *testing.B) {
	m := request(b, opMsg(1, 0, 0, command("find", "filter", fields("_id", 5), "limit", 1, "singleBatch", true, "lsid", fields("id", bson.Binary{Subtype: 4, Data: make([]byte, 16)}), "$clusterTime", fields("t", 1, "signature", fields("x", 1)))))
	seed := maphash.MakeSeed()
	b.ReportAllocs()
	for b.Loop() {
		if sampleable(m) {
			recognise(seed, m)
		}
	}
}
