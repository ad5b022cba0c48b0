package engine

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func TestWorkloadGuards(t *testing.T) {
	with := func(o *op.Operation, change func(*op.Operation)) *op.Operation {
		change(o)
		return o
	}
	app := func(name string) *op.Operation {
		return with(find("orders"), func(o *op.Operation) { o.Conn = &op.Conn{App: name} })
	}
	refusal := func(code int32) *op.Operation {
		return with(find("orders"), func(o *op.Operation) { o.Reply = op.Reply{Seen: true, Code: code} })
	}
	for name, c := range map[string]struct {
		o      *op.Operation
		judged bool
	}{
		"application":    {find("orders"), true},
		"no connection":  {with(find("orders"), func(o *op.Operation) { o.Conn = nil }), true},
		"system":         {find("system.views"), false},
		"admin":          {with(find("x"), func(o *op.Operation) { o.NS.DB = "admin" }), false},
		"mongodump":      {app("mongodump"), false},
		"compass":        {app("MongoDB Compass 1.40"), false},
		"checkout":       {app("checkout"), true},
		"change stream":  {command(d("aggregate", "orders", "pipeline", bson.A{d("$changeStream", d())})), false},
		"aggregation":    {command(d("aggregate", "orders", "pipeline", bson.A{d("$match", d())})), true},
		"tailable":       {command(d("find", "orders", "tailable", true)), false},
		"bad value":      {refusal(2), false},
		"no permission":  {refusal(13), false},
		"parse error":    {refusal(40324), false},
		"duplicate key":  {refusal(11000), true},
		"not primary":    {refusal(10107), true},
		"memory limit":   {refusal(16819), true},
		"unknown to it":  {refusal(59), true},
		"time limit":     {refusal(50), true},
		"unpaired":       {with(find("orders"), func(o *op.Operation) { o.Reply = op.Reply{} }), true},
		"document large": {refusal(10334), true},
	} {
		e, r := newEngine(Config{Rules: []*analysis.Analyzer{newRule("Q01", always)}})
		e.Judge(c.o)
		if got := len(r.reports) == 1 && r.observed == 1; got != c.judged {
			t.Errorf("%s: judged %v", name, got)
		}
	}
}

func TestRetriedWriteCountsOnce(t *testing.T) {
	e, r := newEngine(Config{Rules: []*analysis.Analyzer{newRule("Q01", always)}})
	write := func(session uint64, txn int64, inTxn bool) {
		o := command(d("update", "orders", "updates", bson.A{d("q", d("a", 1), "u", d("$set", d("b", 1)))}))
		o.Session = op.Session{ID: session, Txn: txn, InTxn: inTxn}
		e.Judge(o)
	}
	write(1, 1, false)
	write(1, 1, false) // the retry
	write(1, 2, false)
	write(2, 1, false)
	write(3, 1, true) // statements of one transaction share its number
	write(3, 1, true)
	write(0, 0, false)
	write(0, 0, false)
	if len(r.reports) != 7 {
		t.Errorf("%d writes counted, want 7", len(r.reports))
	}
	for i := range int64(5000) {
		write(9, i+1, false)
	}
	if n := len(e.retries.index); n > len(e.retries.recent)+1 {
		t.Errorf("%d writes are remembered", n)
	}
}

func TestIndexesAreLearntFromTraffic(t *testing.T) {
	e, _ := newEngine(Config{})
	orders := op.Namespace{DB: "shop", Coll: "orders"}
	names := func() string {
		indexes, known := e.Indexes(orders)
		s := ""
		for _, ix := range indexes {
			s += ix.Name + " "
		}
		if !known {
			s += "unknown"
		}
		return s
	}
	create := func(names ...string) *op.Operation {
		var list bson.A
		for _, n := range names {
			list = append(list, d("name", n, "key", d(n, 1)))
		}
		return command(d("createIndexes", "orders", "indexes", list))
	}
	failed := create("no")
	failed.Reply.OK = false
	e.Judge(failed)
	for _, c := range []struct {
		o    *op.Operation
		want string
	}{
		{create("a", "b"), "a b "},
		{create("b"), "a b "},
		{command(d("dropIndexes", "orders", "index", "a")), "b "},
		{command(d("dropIndexes", "orders", "index", "*")), "unknown"},
		{create("a"), "a "},
		{command(d("dropIndexes", "orders", "index", d("a", 1))), "unknown"},
		{create("a"), "a "},
		{command(d("drop", "orders")), "unknown"},
		{create("a"), "a "},
		{command(d("drop", "others")), "a "},
		{command(d("renameCollection", "orders", "to", "shop.archive")), "unknown"},
		{create("a"), "a "},
		{command(d("renameCollection", "new", "to", "shop.orders", "dropTarget", true)), "unknown"},
		{create("a"), "a "},
		{command(d("dropDatabase", 1)), "unknown"},
	} {
		e.Judge(c.o)
		if got := names(); got != c.want {
			t.Fatalf("after %s: %q, want %q", c.o.Command, got, c.want)
		}
	}
	list := command(d("listIndexes", "orders"))
	doc, _ := bson.Marshal(d("name", "_id_", "key", d("_id", 1)))
	list.Reply.Docs, list.Reply.Returned = append(list.Reply.Docs, doc), 1
	e.Judge(list)
	if got := names(); got != "_id_ " {
		t.Errorf("after listIndexes: %q", got)
	}
	for i := range 200 {
		e.Judge(create(string(rune('A' + i))))
	}
	if indexes, _ := e.Indexes(orders); len(indexes) > maxIndexes {
		t.Errorf("%d indexes of one collection", len(indexes))
	}
}
