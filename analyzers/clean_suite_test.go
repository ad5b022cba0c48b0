package analyzers_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
)

// suite is a test run of an application that does things right: it has lists
// with their references read at once, single documents, documents that are read
// again, and loops over ids that it knows.
type suite struct {
	t     *testing.T
	rand  *rand.Rand
	steps []cases.Step
	ints  bool // ids are numbers
	users int
}

func (s *suite) id(kind, n int) any {
	if s.ints {
		return int32(n)
	}
	return bson.ObjectID{0x65, 0x60, byte(kind), 8: byte(n >> 24), 9: byte(n >> 16), 10: byte(n >> 8), 11: byte(n)}
}

func (s *suite) raw(d bson.D) bsoncore.Document {
	b, err := bson.Marshal(d)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *suite) send(command bson.D, docs ...any) {
	reply := bson.D{{Key: "n", Value: 1}, {Key: "nModified", Value: 1}, {Key: "ok", Value: 1}}
	if command[0].Key == "find" || command[0].Key == "aggregate" {
		cursor := bson.D{{Key: "firstBatch", Value: append(bson.A{}, docs...)}, {Key: "id", Value: int64(0)}, {Key: "ns", Value: "shop.x"}}
		reply = bson.D{{Key: "cursor", Value: cursor}, {Key: "ok", Value: 1}}
	}
	s.steps = append(s.steps, cases.Step{
		Conn: []string{"a", "b", "c"}[s.rand.IntN(3)], Repeat: 1, Latency: time.Millisecond,
		Command: s.raw(append(command, bson.E{Key: "$db", Value: "shop"})), Reply: s.raw(reply),
	})
}

func m(pairs ...any) bson.D {
	var out bson.D
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, bson.E{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return out
}

func (s *suite) order(n, user int) bson.D {
	return m("_id", s.id(2, n), "userId", s.id(1, user), "status", "open", "total", n%90, "items", bson.A{m("productId", s.id(3, s.rand.IntN(50)), "qty", 1)})
}

func (s *suite) user(n int) bson.D {
	return m("_id", s.id(1, n), "name", fmt.Sprintf("user %d", n), "role", "admin")
}

func (s *suite) findOne(coll string, id any, doc bson.D) {
	s.send(m("find", coll, "filter", m("_id", id), "limit", 1, "singleBatch", true), doc)
}

// request is one call of the application's interface.
func (s *suite) request() {
	u := s.rand.IntN(s.users)
	s.findOne("users", s.id(1, u), s.user(u)) // who asks
	n := s.rand.IntN(1000)
	switch s.rand.IntN(9) {
	case 0: // a list, its users at once
		list, users, ids := bson.A{}, bson.A{}, bson.A{}
		for i := range 20 {
			v := s.rand.IntN(s.users)
			list, users, ids = append(list, s.order(n+i, v)), append(users, s.user(v)), append(ids, s.id(1, v))
		}
		s.send(m("find", "orders", "filter", m("status", "open"), "sort", m("_id", -1), "limit", 20), list...)
		s.send(m("find", "users", "filter", m("_id", m("$in", ids))), users...)
	case 1: // the orders of the one who asks
		list := bson.A{}
		for i := range 15 {
			list = append(list, s.order(n+i, u))
		}
		s.send(m("find", "orders", "filter", m("userId", s.id(1, u)), "limit", 20), list...)
	case 2: // one of them, and what was written of it is read again
		s.findOne("orders", s.id(2, n), s.order(n, u))
		s.send(m("update", "orders", "updates", bson.A{m("q", m("_id", s.id(2, n)), "u", m("$set", m("status", "done")))}))
		s.findOne("orders", s.id(2, n), s.order(n, u))
	case 3: // new ones
		for i := range 5 {
			s.send(m("insert", "orders", "documents", bson.A{s.order(n+i, u)}))
			s.findOne("orders", s.id(2, n+i), s.order(n+i, u))
		}
	case 4: // a post and its comments
		s.findOne("posts", s.id(4, n), m("_id", s.id(4, n), "title", "a title"))
		comments := bson.A{}
		for i := range 3 {
			comments = append(comments, m("_id", s.id(5, 3*n+i), "postId", s.id(4, n), "text", "well said"))
		}
		s.send(m("find", "comments", "filter", m("postId", s.id(4, n)), "limit", 10), comments...)
	case 5: // ids that the test knows
		for i := range 30 {
			s.findOne("products", s.id(3, i), m("_id", s.id(3, i), "name", "a product", "price", i))
		}
	case 6: // a list, and some of it opened
		list := bson.A{}
		for i := range 50 {
			list = append(list, m("_id", s.id(3, i), "name", "a product", "price", i))
		}
		s.send(m("find", "products", "limit", 50), list...)
		for range 5 {
			i := s.rand.IntN(50)
			s.findOne("products", s.id(3, i), m("_id", s.id(3, i), "name", "a product", "price", i))
		}
	case 7: // a category and its parent
		s.findOne("categories", s.id(6, n), m("_id", s.id(6, n), "parent", s.id(6, n+1000), "path", ",a,b,"))
		s.findOne("categories", s.id(6, n+1000), m("_id", s.id(6, n+1000), "parent", nil, "path", ",a,"))
	case 8:
		s.send(m("find", "settings", "filter", m("_id", "configuration")), m("_id", "configuration", "theme", "dark"))
		s.send(m("count", "orders", "query", m("userId", s.id(1, u))))
	}
}

// TestCleanSuiteIsSilent: some 50,000 operations of an application that reads
// together what belongs together.
func TestCleanSuiteIsSilent(t *testing.T) {
	var rules []*analysis.Analyzer
	for _, a := range analyzers.All() {
		if a.ID == "Q11" || a.ID == "S05" || a.ID == "S07" {
			rules = append(rules, a)
		}
	}
	for _, ints := range []bool{false, true} {
		for _, users := range []int{1, 5, 500} {
			s := &suite{t: t, rand: rand.New(rand.NewPCG(7, uint64(users))), ints: ints, users: users}
			for len(s.steps) < 9000 {
				s.request()
			}
			_, st, err := analysistest.Replay(&cases.File{Operations: s.steps}, rules)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range st.Findings() {
				t.Errorf("ints %v, %d users: %s %s on %s, %d times: %s %v", ints, users, f.Rule, f.Reason, f.Namespace, f.Count, f.Message, f.Evidence)
			}
		}
	}
}
