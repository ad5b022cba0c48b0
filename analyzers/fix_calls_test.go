package analyzers

import (
	"testing"

	"mongoadvisor/internal/op"
)

// TestFixesDoNoMore: the call in a fix writes as many documents as the
// statement it replaces, and no more.
func TestFixesDoNoMore(t *testing.T) {
	set := op.Update{Operators: []byte{5, 0, 0, 0, 0}}
	whole := op.Update{Replacement: []byte{5, 0, 0, 0, 0}}
	for _, c := range []struct {
		statement op.Statement
		want      string
	}{
		{op.Statement{Command: "update", Update: set}, "db.c.updateOne({ a: 1 }, <update>)"},
		{op.Statement{Command: "update", Update: set, Multi: true}, "db.c.updateMany({ a: 1 }, <update>)"},
		{op.Statement{Command: "update", Update: whole}, "db.c.replaceOne({ a: 1 }, <document>)"},
		{op.Statement{Command: "delete"}, "db.c.deleteOne({ a: 1 })"},
		{op.Statement{Command: "delete", Multi: true}, "db.c.deleteMany({ a: 1 })"},
		{op.Statement{Command: "findAndModify"}, "db.c.findOneAndDelete({ a: 1 })"},
		{op.Statement{Command: "findAndModify", Update: set}, "db.c.findOneAndUpdate({ a: 1 }, <update>)"},
		{op.Statement{Command: "findAndModify", Update: whole}, "db.c.findOneAndReplace({ a: 1 }, <document>)"},
		{op.Statement{Command: "count"}, "db.c.countDocuments({ a: 1 })"},
		{op.Statement{Command: "find"}, "db.c.find({ a: 1 })"},
	} {
		if got := query(call(&c.statement), op.Namespace{DB: "d", Coll: "c"}, "{ a: 1 }", ""); got != c.want {
			t.Errorf("%s: %s, want %s", c.statement.Command, got, c.want)
		}
	}
}
