package logged

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

func doc(t testing.TB, d bson.D) bsoncore.Document {
	t.Helper()
	raw, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestBounds: what is remembered between records is bounded, and nothing is lost.
func TestBounds(t *testing.T) {
	n, made := 3*maxConns, 0
	m := New(Config{Grouped: true, Emit: func(o *op.Operation) { made++ }})
	statement := doc(t, bson.D{{Key: "q", Value: bson.D{{Key: "a", Value: 1}}}, {Key: "u", Value: bson.D{{Key: "$set", Value: bson.D{{Key: "b", Value: 1}}}}}})
	find := doc(t, bson.D{{Key: "find", Value: "b"}, {Key: "$db", Value: "a"}})
	client := doc(t, bson.D{{Key: "driver", Value: bson.D{{Key: "name", Value: strings.Repeat("x", 1000)}}}})
	for i := range n {
		m.Introduce(time.Unix(int64(i), 0), uint64(i+1), "10.0.0.1:5", client)
		m.Add(Record{Kind: "command", NS: "a.b", Conn: uint64(i + 1), Command: find, Cursor: int64(i + 1), Returned: 1})
		m.Add(Record{Kind: "update", NS: "a.b", Conn: uint64(i + 1), Command: statement})
		if len(m.held) > maxBatches || len(m.order) > maxBatches || m.conns.order.Len() > maxConns || len(m.conns.byKey) > maxConns || len(m.cursors.byID) > maxCursors {
			t.Fatalf("%d batches, %d connections, %d cursors", len(m.held), m.conns.order.Len(), len(m.cursors.byID))
		}
	}
	if c := m.conns.of("7", "", ""); len(c.Driver) > maxClientName {
		t.Errorf("a name of %d bytes is kept", len(c.Driver))
	}
	for range 5 * maxStatements {
		m.Add(Record{Kind: "update", NS: "a.b", Conn: 1, Command: statement})
	}
	if b := m.held[m.conns.of("1", "", "").ID]; len(b.statements) > maxStatements {
		t.Errorf("%d statements wait", len(b.statements))
	}
	m.Flush()
	if len(m.held) > 0 || made != 3*n+5 {
		t.Errorf("%d wait, %d of %d operations", len(m.held), made, 3*n+5)
	}
	if c := m.Coverage(); c.Skipped[SkipDuplicate] != 5*maxStatements-5 || c.Decoded != int64(2*n+5*maxStatements) {
		t.Errorf("%+v", c)
	}
}

func TestStagesOfAPlan(t *testing.T) {
	for plan, want := range map[string]string{
		"COLLSCAN": "COLLSCAN", "IXSCAN { a: 1, B: -1 }": "IXSCAN", "IXSCAN { a: 1 }, IXSCAN { b: 1 }": "IXSCAN, IXSCAN", "": "", "COUNT_SCAN { x: 1 }": "COUNT_SCAN",
		"MULTI_ITERATOR": "MULTI_ITERATOR", "}}}{": "",
	} {
		if got := stages(plan); got != want {
			t.Errorf("%s: %q, want %q", plan, got, want)
		}
	}
}

// The documents of system.profile before 3.6, which have no commands for requests.
func TestOldProfiles(t *testing.T) {
	at := bson.DateTime(5000)
	for want, d := range map[string]bson.D{
		"find a.b limit":   {{Key: "op", Value: "query"}, {Key: "ns", Value: "a.b"}, {Key: "query", Value: bson.D{{Key: "x", Value: 1}}}, {Key: "ntoreturn", Value: -1}, {Key: "nscannedObjects", Value: 7}, {Key: "millis", Value: 5}, {Key: "ts", Value: at}},
		"find a.b":         {{Key: "op", Value: "query"}, {Key: "ns", Value: "a.b"}, {Key: "query", Value: bson.D{{Key: "find", Value: "b"}, {Key: "filter", Value: bson.D{}}}}, {Key: "ts", Value: at}},
		"update a.b":       {{Key: "op", Value: "update"}, {Key: "ns", Value: "a.b"}, {Key: "query", Value: bson.D{{Key: "x", Value: 1}}}, {Key: "updateobj", Value: bson.D{{Key: "$set", Value: bson.D{{Key: "y", Value: 1}}}}}, {Key: "ts", Value: at}},
		"update a.b whole": {{Key: "op", Value: "update"}, {Key: "ns", Value: "a.b"}, {Key: "command", Value: bson.D{{Key: "q", Value: bson.D{{Key: "x", Value: 1}}}, {Key: "u", Value: bson.D{{Key: "y", Value: 1}}}}}, {Key: "ts", Value: at}},
		"delete a.b":       {{Key: "op", Value: "remove"}, {Key: "ns", Value: "a.b"}, {Key: "query", Value: bson.D{{Key: "x", Value: 1}}}, {Key: "ts", Value: at}},
		"getMore a.b":      {{Key: "op", Value: "getmore"}, {Key: "ns", Value: "a.b"}, {Key: "query", Value: bson.D{{Key: "x", Value: 1}}}, {Key: "cursorid", Value: int64(7)}, {Key: "ts", Value: at}},
		"insert a.b":       {{Key: "op", Value: "insert"}, {Key: "ns", Value: "a.b"}, {Key: "query", Value: bson.D{{Key: "x", Value: 1}}}, {Key: "ninserted", Value: 1}, {Key: "ts", Value: at}},
		"count a.b":        {{Key: "op", Value: "command"}, {Key: "ns", Value: "a.$cmd"}, {Key: "command", Value: bson.D{{Key: "count", Value: "b"}}}, {Key: "ts", Value: at}},
	} {
		var got []*op.Operation
		m := New(Config{Emit: func(o *op.Operation) { got = append(got, o) }})
		m.Add(Read(doc(t, d)))
		m.Flush()
		if len(got) != 1 {
			t.Errorf("%s: %d operations", want, len(got))
			continue
		}
		o := got[0]
		if s := fmt.Sprint(o.Command, " ", o.NS); !strings.HasPrefix(want, s) {
			t.Errorf("%s: it is %s", want, s)
		}
		if o.Time.Add(o.Latency) != time.UnixMilli(5000).UTC() {
			t.Errorf("%s: it ended at %s", want, o.Time.Add(o.Latency))
		}
		statements := o.Statements()
		switch want {
		case "find a.b limit":
			if statements[0].Limit != 1 || o.Exec.DocsExamined != 7 {
				t.Errorf("%+v", statements[0])
			}
		case "update a.b":
			if statements[0].Update.Operators == nil || statements[0].Filter == nil {
				t.Errorf("%+v", statements[0])
			}
		case "update a.b whole":
			if statements[0].Update.Replacement == nil {
				t.Errorf("%+v", statements[0])
			}
		case "insert a.b":
			if len(statements) != 0 {
				t.Errorf("a document is kept: %+v", statements[0])
			}
		case "getMore a.b":
			if o.Origin == nil || o.Origin.Command != "find" {
				t.Errorf("%+v", o.Origin)
			}
		}
	}
}

// A command that is too long for system.profile is attributed, and not judged by what
// it lacks.
func TestShortened(t *testing.T) {
	for want, r := range map[string]Record{
		"find a.b":    {Kind: "query", NS: "a.b", Command: doc(t, bson.D{{Key: "$truncated", Value: `{ find: "b", filter: { x: "aaa...`}})},
		"update a.b":  {Kind: "update", NS: "a.b", Command: doc(t, bson.D{{Key: "$truncated", Value: `{ q: { x: "aaa...`}})},
		"delete a.b":  {Kind: "remove", NS: "a.b", Command: doc(t, bson.D{{Key: "$truncated", Value: `{ q: { x: "aaa...`}})},
		"getMore a.b": {Kind: "getmore", NS: "a.b", Cursor: 5, Command: doc(t, bson.D{{Key: "$truncated", Value: `{ getMore: 5, x: "aaa...`}})},
		"other a":     {Kind: "command", NS: "a.$cmd", Command: doc(t, bson.D{{Key: "$truncated", Value: `secret`}})},
	} {
		var got []*op.Operation
		m := New(Config{Emit: func(o *op.Operation) { got = append(got, o) }})
		m.Add(r)
		m.Flush()
		if len(got) != 1 || !got[0].Cut || fmt.Sprint(got[0].Command, " ", got[0].NS) != want || m.Coverage().Truncated != 1 {
			t.Errorf("%s: %+v, %+v", want, got, m.Coverage())
		}
	}
}
