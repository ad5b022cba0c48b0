package op

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// FuzzViews reads any bytes as commands: nothing may panic, not even on what no
// decoder would let through.
func FuzzViews(f *testing.F) {
	f.Add([]byte{}, byte(0))
	f.Add([]byte{5, 0, 0, 0, 0}, byte(1))
	f.Add([]byte(doc(d("filter", d("a", d("$in", bson.A{re("x", "i"), d("$elemMatch", d("b", 1))})), "collation", d("locale", "en")))), byte(0))
	f.Add([]byte(doc(d("pipeline", bson.A{d("$lookup", d("from", "x", "pipeline", bson.A{d("$match", d("$expr", d()))}))}))), byte(1))
	f.Add([]byte(doc(d("updates", bson.A{d("q", d(), "u", d("$push", d("a", d("$each", bson.A{1}, "$slice", -3))))}))), byte(4))
	f.Add([]byte(doc(d("nsInfo", bson.A{d("ns", "a.b")}, "ops", bson.A{d("update", 0, "filter", d(), "updateMods", bson.A{})}))), byte(8))
	commands := []string{"find", "aggregate", "count", "distinct", "update", "delete", "insert", "findAndModify", "bulkWrite", "mapReduce"}
	f.Fuzz(func(t *testing.T, b []byte, which byte) {
		if len(b) > 1<<12 {
			return // deeper nesting than the decoders allow
		}
		o := &Operation{Command: commands[int(which)%len(commands)], Body: bsoncore.Document(b)}
		for i := range o.Statements() {
			s := &o.Statements()[i]
			if len(s.Shape().Text) > maxShapeText+len("…") {
				t.Errorf("a shape of %d bytes", len(s.Shape().Text))
			}
			for flt := range s.Filters() {
				for range flt.Predicates() {
				}
			}
		}
		for k, v := range Fields(b) {
			_, _ = ParseIndex(Doc(v))
			_, _, _, _, _ = Comment(v), Path(k), Len(v), True(v), CollationText(Doc(v))
		}
	})
}
