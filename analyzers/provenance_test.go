package analyzers

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func marshal(t *testing.T, d bson.D) bsoncore.Document {
	t.Helper()
	b, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// limitOf are the bounds of what sizes measures.
var limitOf = map[string]int{
	"values": maxTracedValues, "spaces": maxSpaces, "paths": maxPaths, "byHash": maxPaths, "scores": maxScores,
	"bursts": maxBursts, "order": maxBursts, "asked": maxRates, "linked": maxRates, "traces": maxTraces, "pairs": maxPairs,
	"walks": maxTrees, "nested": maxTrees, "kids": maxTrees, "paths of a reply": maxPathsRead,
}

func sizes(t *trail) map[string]int {
	out := map[string]int{
		"values": len(t.values.ring), "spaces": len(t.spaces), "paths": len(t.paths), "byHash": len(t.byHash), "scores": len(t.scores),
		"bursts": len(t.bursts), "order": len(t.order), "asked": len(t.asked), "linked": len(t.linked), "traces": len(t.traces), "pairs": len(t.pairs.young) + len(t.pairs.old),
		"walks": len(t.walks), "nested": len(t.nested), "kids": len(t.kids),
	}
	for i := range t.reads {
		out["paths of a reply"] = max(out["paths of a reply"], len(t.reads[i].paths))
	}
	return out
}

// TestTrailIsBounded: whatever a client sends, what is remembered of it has an end.
func TestTrailIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	state := newTrail()
	limits := map[string]int64{}
	reports, most := 0, map[string]int{}
	var passes []*analysis.Pass
	for _, a := range []*analysis.Analyzer{repeatedPointReads(), separatedData(), treeModelMismatch()} {
		for _, l := range a.Limits {
			limits[l.Name] = 1
		}
		passes = append(passes, analysis.NewPass(a, noEnv{}, func(*analysis.Pass, analysis.Finding) { reports++ },
			func(name string) int64 { return limits[name] }, func(*analysis.Pass) any { return state }))
	}
	word := func() string { return fmt.Sprintf("%c%d", 'a'+r.IntN(26), r.IntN(300)) }
	value := func() any {
		return []any{int32(r.IntN(500)), int64(r.IntN(500)), word() + "xyz", bson.ObjectID{11: byte(r.IntN(200))}, bson.A{int32(r.IntN(500)), bson.D{{Key: word(), Value: int32(r.IntN(9))}}}, nil, 1.5}[r.IntN(7)]
	}
	document := func() bsoncore.Document {
		d := bson.D{{Key: "_id", Value: value()}, {Key: "parent", Value: value()}}
		for range r.IntN(100) {
			d = append(d, bson.E{Key: word(), Value: value()})
		}
		return marshal(t, d)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 4_000 {
		now = now.Add(time.Duration(r.IntN(3_000_000) - 1_000_000))
		o := &op.Operation{Time: now, Latency: time.Duration(r.IntN(2_000_000)), NS: op.Namespace{DB: "shop", Coll: []string{"tree", word()}[i%2]}, Kind: op.KindRead}
		o.Comment = "trace <id> " + word()
		filter := bson.D{{Key: []string{"_id", "parent", word()}[r.IntN(3)], Value: value()}}
		switch r.IntN(8) {
		case 0:
			o.Command, o.Kind = "update", op.KindWrite
			u := bson.D{{Key: "$push", Value: bson.D{{Key: word() + ".children", Value: value()}}}, {Key: "$inc", Value: bson.D{{Key: word() + ".lft", Value: int32(2)}}}}
			q := bson.D{{Key: "lft", Value: bson.D{{Key: "$gt", Value: 1}}}, {Key: "_id", Value: value()}}
			o.Body = marshal(t, bson.D{{Key: "update", Value: o.NS.Coll}, {Key: "updates", Value: bson.A{bson.D{{Key: "q", Value: q}, {Key: "u", Value: u}, {Key: "multi", Value: true}}}}})
		case 1:
			o.Command, o.Origin = "getMore", &op.Origin{NS: o.NS}
			o.Body = marshal(t, bson.D{{Key: "getMore", Value: int64(r.IntN(50))}})
		case 2:
			o.Command = "aggregate"
			o.Body = marshal(t, bson.D{{Key: "aggregate", Value: o.NS.Coll}, {Key: "pipeline", Value: bson.A{bson.D{{Key: "$match", Value: filter}}}}})
		default:
			o.Command = "find"
			o.Session = op.Session{ID: uint64(r.IntN(99)), InTxn: r.IntN(9) == 0}
			o.Body = marshal(t, bson.D{{Key: "find", Value: o.NS.Coll}, {Key: "filter", Value: filter}, {Key: "comment", Value: word()}})
		}
		o.Reply = op.Reply{Seen: true, OK: true, Returned: r.IntN(4), CursorID: int64(r.IntN(50))}
		for range r.IntN(1 + i%20) {
			o.Reply.Docs = append(o.Reply.Docs, document())
		}
		for _, p := range passes {
			p.Op, p.Now, p.Serial = o, o.Time, uint64(i)+1
			p.Analyzer.Run(p)
		}
		for name, n := range sizes(state) {
			most[name] = max(most[name], n)
		}
	}
	for name, limit := range limitOf {
		if n := most[name]; n > limit || n == 0 {
			t.Errorf("%s: %d, at most %d", name, n, limit)
		}
	}
	if reports == 0 {
		t.Error("nothing was reported: the traffic has nothing to follow")
	}
}

// TestNamesOfReferences holds which names agree when values could by chance.
func TestNamesOfReferences(t *testing.T) {
	for _, c := range []struct {
		from, path, child, field string
		fit                      bool
	}{
		{"orders", "user", "users", "_id", true},
		{"orders", "userId", "users", "_id", true},
		{"orders", "user._id", "users", "_id", true},
		{"orders", "billing_user_id", "users", "_id", true},
		{"carts", "items.product", "products", "_id", true},
		{"groups", "userIds", "users", "_id", true},
		{"orders", "_id", "items", "orderId", true},
		{"orders", "_id", "items", "order._id", true},
		{"carts", "lines.sku", "products", "sku", true},
		{"orders", "companyId", "companies", "_id", true},
		{"orders", "user", "shop_users", "_id", true},
		{"categories", "parent", "categories", "_id", true},
		{"categories", "_id", "categories", "parentId", true},
		{"employees", "managerId", "employees", "_id", true},

		{"orders", "_id", "users", "_id", false},
		{"orders", "total", "users", "_id", false},
		{"orders", "customerId", "orders", "total", false},
		{"orders", "customerId", "products", "_id", false},
		{"orders", "quantity", "items", "stock", false},
		{"orders", "itemCount", "items", "_id", false},
		{"users", "age", "users", "_id", false},
	} {
		if got := relate(stem(c.from), c.path, stem(c.child), c.field) > 0; got != c.fit {
			t.Errorf("%s.%s and %s.%s: %v", c.from, c.path, c.child, c.field, got)
		}
	}
}
