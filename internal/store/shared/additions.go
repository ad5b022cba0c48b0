package shared

import (
	"strconv"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/store"
)

// addition adds a change to its finding.
func (f *flight) addition(c *store.Change) mongo.WriteModel {
	more, elements := increments(c)
	update := append(f.mark(),
		bson.E{Key: "$min", Value: bson.D{{Key: "first", Value: c.First}}},
		bson.E{Key: "$max", Value: highest(c)},
		bson.E{Key: "$set", Value: bson.D{
			{Key: "confidence", Value: c.Confidence}, {Key: "evidence", Value: orEmpty(c.Evidence)}, {Key: "min_count", Value: c.MinCount},
		}})
	if len(more) > 0 {
		update = append(update, bson.E{Key: "$inc", Value: more})
	}
	m := mongo.NewUpdateOneModel().SetFilter(f.filter(c.Fingerprint)).SetUpdate(update)
	if len(elements) > 0 {
		m.SetArrayFilters(elements)
	}
	return m
}

// increments are what adds up; elements say which of clients are meant.
func increments(c *store.Change) (sums bson.D, elements []any) {
	add := func(name string, n int64) {
		if n != 0 {
			sums = append(sums, bson.E{Key: name, Value: n})
		}
	}
	d := c.Delta
	add("count", d.Count)
	add("loud", d.Loud)
	add("returned_documents", d.Returned)
	add("returned_bytes", d.Bytes)
	add("connections", d.Connections)
	add("latency_ns", int64(d.Latency))
	add("measured", d.Measured)
	for i, n := range d.Latencies {
		add("latencies."+strconv.Itoa(i), n)
	}
	for i, app := range c.Apps {
		if app.App == store.OtherClients { // what is left over of count
			continue
		}
		name := "app" + strconv.Itoa(i)
		add("clients.$["+name+"].count", app.Count)
		elements = append(elements, bson.D{{Key: name + ".app", Value: app.App}, {Key: name + ".driver", Value: app.Driver}})
	}
	return sums, elements
}

// highest are what only rises: figures and times.
func highest(c *store.Change) bson.D {
	out := bson.D{{Key: "last", Value: c.Last}, {Key: "severity", Value: int32(c.Severity)}}
	raise := func(name string, value any, known bool) {
		if known {
			out = append(out, bson.E{Key: name, Value: value})
		}
	}
	raise("documents", c.Documents, c.Documents > 0)
	raise("max_reply_bytes", c.MaxReply, c.MaxReply > 0)
	raise("slowest_ns", int64(c.Slowest), c.Slowest > 0)
	raise("told_at", c.ToldAt, !c.ToldAt.IsZero())
	raise("told_severity", int32(c.ToldSeverity), !c.ToldAt.IsZero())
	raise("fixed_at", c.FixedAt, !c.FixedAt.IsZero())
	raise("regressed_at", c.RegressedAt, !c.RegressedAt.IsZero())
	return out
}
