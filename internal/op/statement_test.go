package op

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// filtersOf lists place, namespace and first field of each filter.
func filtersOf(o *Operation) []string {
	var out []string
	for i := range o.Statements() {
		for f := range o.Statements()[i].Filters() {
			s := fmt.Sprintf("%s %s %s", f.Place, f.NS, FirstKey(f.Doc))
			if !f.Stored {
				s += " computed"
			}
			out = append(out, s)
		}
	}
	return out
}

// Every place of catalogue 2.1 where a filter can stand.
func TestFiltersOfEveryCarrier(t *testing.T) {
	f := d("f", 1)
	for _, c := range []struct {
		command bson.D
		want    []string
	}{
		{d("find", "c", "filter", f), []string{"filter shop.c f"}},
		{d("count", "c", "query", f), []string{"query shop.c f"}},
		{d("distinct", "c", "key", "k", "query", f), []string{"query shop.c f"}},
		{d("mapReduce", "c", "query", f), []string{"query shop.c f"}},
		{d("findAndModify", "c", "query", f, "remove", true), []string{"query shop.c f"}},
		{d("findandmodify", "c", "query", f, "update", d("$set", d("a", 1))), []string{"query shop.c f"}},
		{d("update", "c", "updates", bson.A{d("q", d("a", 1), "u", d()), d("q", f, "u", d())}), []string{"updates[0].q shop.c a", "updates[1].q shop.c f"}},
		{d("delete", "c", "deletes", bson.A{d("q", f, "limit", 0)}), []string{"deletes[0].q shop.c f"}},
		{d("aggregate", "c", "pipeline", bson.A{
			d("$match", f), d("$sort", d("a", 1)), d("$match", d("g", 1)), d("$group", d("_id", "$a")), d("$match", d("h", 1)),
		}), []string{"pipeline[0].$match shop.c f", "pipeline[2].$match shop.c g", "pipeline[4].$match shop.c h computed"}},
		{d("aggregate", "c", "pipeline", bson.A{d("$geoNear", d("near", bson.A{1, 2}, "query", f))}), []string{"pipeline[0].$geoNear shop.c f"}},
		{d("aggregate", "c", "pipeline", bson.A{d("$project", d("a", 1)), d("$graphLookup", d("from", "tree", "restrictSearchWithMatch", f))}), []string{"pipeline[1].$graphLookup shop.tree f"}},
		{d("aggregate", "c", "pipeline", bson.A{d("$lookup", d("from", "users", "pipeline", bson.A{d("$match", f)}))}), []string{"pipeline[0].$lookup.pipeline[0].$match shop.users f"}},
		{d("aggregate", "c", "pipeline", bson.A{d("$lookup", d("from", d("db", "other", "coll", "users"), "pipeline", bson.A{d("$match", f)}))}), []string{"pipeline[0].$lookup.pipeline[0].$match other.users f"}},
		{d("aggregate", "c", "pipeline", bson.A{d("$facet", d("one", bson.A{d("$match", f)}, "k2026", bson.A{d("$match", d("g", 1))}))}), []string{"pipeline[0].$facet.one[0].$match shop.c f", "pipeline[0].$facet.<key>[0].$match shop.c g"}},
		{d("aggregate", "c", "pipeline", bson.A{d("$unionWith", d("coll", "old", "pipeline", bson.A{d("$match", f)}))}), []string{"pipeline[0].$unionWith.pipeline[0].$match shop.old f"}},
		{d("aggregate", "c", "pipeline", bson.A{d("$unionWith", "old")}), nil},
		{d("aggregate", "c", "pipeline", bson.A{d("$rankFusion", d("input", d("pipelines", d("p", bson.A{d("$match", f)}))))}), []string{"pipeline[0].$rankFusion.input.pipelines.p[0].$match shop.c f"}},
		{d("bulkWrite", 1, "nsInfo", bson.A{d("ns", "shop.a"), d("ns", "shop.b")}, "ops", bson.A{
			d("update", 0, "filter", f, "updateMods", d("$push", d("log", 1))), d("delete", 1, "filter", d("g", 1)), d("insert", 1, "document", d("x", 1)), d("update", 9, "filter", f),
		}), []string{"query shop.a f", "query shop.b g"}},
	} {
		got := filtersOf(command(c.command))
		for i := range got { // the places of bulkWrite are those of its statements
			got[i] = strings.NewReplacer("updates[0].q shop.a", "query shop.a", "deletes[1].q shop.b", "query shop.b").Replace(got[i])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v\n got %q\nwant %q", c.command, got, c.want)
		}
	}
}

// A sequence stands for the field of its name.
func TestSequencesStandForFields(t *testing.T) {
	for name, o := range map[string]*Operation{
		"updates": command(d("update", "c"), Sequence{Name: "updates", Docs: []bsoncore.Document{doc(d("q", d("a", 1), "u", d("$set", d("x", 1))))}}),
		"deletes": command(d("delete", "c"), Sequence{Name: "deletes", Docs: []bsoncore.Document{doc(d("q", d("a", 1), "limit", 1))}}),
		"documents": command(d("insert", "c"), Sequence{Name: "unknown", Docs: []bsoncore.Document{doc(d("x", 1))}},
			Sequence{Name: "documents", Docs: []bsoncore.Document{doc(d("a", 1))}}),
	} {
		if n := len(o.Statements()); n != 1 {
			t.Errorf("%s: %d statements", name, n)
		}
	}
	ops := Sequence{Name: "ops", Docs: []bsoncore.Document{doc(d("update", 1, "filter", d("a", 1), "updateMods", bson.A{d("$set", d("x", 1))}))}}
	spaces := Sequence{Name: "nsInfo", Docs: []bsoncore.Document{doc(d("ns", "a.b")), doc(d("ns", "shop.users"))}}
	s := command(d("bulkWrite", 1), ops, spaces).Statements()
	if len(s) != 1 || s[0].NS.String() != "shop.users" || len(s[0].Update.Pipeline) != 1 {
		t.Errorf("bulkWrite: %+v", s)
	}
}

func TestStatementKeepsItsOptions(t *testing.T) {
	s := command(d("update", "c", "updates", bson.A{d(
		"q", d("a", 1), "u", d("b", 1), "multi", true, "upsert", 1, "arrayFilters", bson.A{d("e", 1)}, "collation", d("locale", "en"), "hint", "a_1",
	)})).Statements()[0]
	if !s.Multi || !s.Upsert || len(s.ArrayFilters) != 1 || s.Collation == nil || Str(s.Hint) != "a_1" || s.Update.Replacement == nil || s.Update.Operators != nil {
		t.Errorf("%+v", s)
	}
	one := command(d("delete", "c", "deletes", bson.A{d("q", d(), "limit", 1)})).Statements()[0]
	all := command(d("delete", "c", "deletes", bson.A{d("q", d(), "limit", 0)})).Statements()[0]
	if one.Multi || !all.Multi {
		t.Error("delete's limit")
	}
	if fm := command(d("findAndModify", "c", "query", d(), "update", d("$inc", d("n", 1)), "new", true, "upsert", true, "sort", d("a", 1))).Statements()[0]; !fm.New || !fm.Upsert || fm.Sort == nil || fm.Update.Operators == nil {
		t.Errorf("%+v", fm)
	}
	if s := command(d("ping", 1)).Statements(); s != nil {
		t.Errorf("ping has statements %v", s)
	}
}

// predicates words each predicate.
func predicates(filter any) []string {
	var out []string
	for p := range (Filter{Doc: doc(filter.(bson.D))}).Predicates() {
		s := p.Path + " " + p.Op
		if p.Op == "$regex" {
			s += " /" + p.Pattern + "/" + p.Options
		}
		if p.Via != "" {
			s += " via " + p.Via
		}
		if p.Negated {
			s += " negated"
		}
		if p.Or {
			s += " or"
		}
		out = append(out, s)
	}
	return out
}

func TestPredicates(t *testing.T) {
	for _, c := range []struct {
		filter bson.D
		want   []string
	}{
		{d("a", 1, "b", d("x", 1)), []string{"a $eq", "b $eq"}},
		{d("a", re("x", "i")), []string{"a $regex /x/i"}},
		{d("a", d("$regex", "x", "$options", "i")), []string{"a $regex /x/i"}},
		{d("a", d("$options", "i", "$regex", re("x", "s"))), []string{"a $regex /x/i"}},
		{d("a", d("$regex", re("x", "s"))), []string{"a $regex /x/s"}},
		{d("a", d("$gt", 1, "$regex", "x")), []string{"a $gt", "a $regex /x/"}},
		{d("a", d("$in", bson.A{"v", re("x", "")})), []string{"a $regex /x/ via $in", "a $in"}},
		{d("a", d("$nin", bson.A{re("x", "")})), []string{"a $regex /x/ via $nin negated", "a $nin"}},
		{d("a", d("$all", bson.A{re("x", ""), d("$elemMatch", d("y", 1))})), []string{"a $regex /x/ via $all", "a.y $eq", "a $all"}},
		{d("a", d("$not", re("x", ""))), []string{"a $regex /x/ negated"}},
		{d("a", d("$not", d("$gt", 1))), []string{"a $gt negated"}},
		{d("$nor", bson.A{d("a", 1)}), []string{"a $eq negated"}},
		{d("$or", bson.A{d("a", 1)}), []string{"a $eq"}},
		{d("$or", bson.A{d("a", 1), d("$and", bson.A{d("b", 1), d("c", 1)})}), []string{"a $eq or", "b $eq or", "c $eq or"}},
		{d("a", d("$elemMatch", d("$regex", "x"))), []string{"a $regex /x/"}},
		{d("a", d("$elemMatch", d("b", re("x", "")))), []string{"a.b $regex /x/"}},
		{d("a", d("$elemMatch", d("$or", bson.A{d("b", 1), d("c", 1)}))), []string{"a.b $eq or", "a.c $eq or"}},
		{d("$text", d("$search", "x"), "$where", "y", "$expr", d(), "$comment", "z"), []string{" $text", " $where", " $expr", " $comment"}},
		{d("a", d("$in", bson.A{d("$regex", "x")})), []string{"a $in"}}, // an error of the server
	} {
		if got := predicates(c.filter); !slices.Equal(got, c.want) {
			t.Errorf("%v\n got %q\nwant %q", c.filter, got, c.want)
		}
	}
}

func TestStagesOfNestedPipelines(t *testing.T) {
	o := command(d("aggregate", "c", "pipeline", bson.A{
		d("$facet", d("data", bson.A{d("$lookup", d("from", "users", "pipeline", bson.A{d("$unionWith", d("coll", "old", "pipeline", bson.A{d("$limit", 1)}))}))})),
		d("$count", "n"),
	}))
	var got []string
	for s := range o.Statements()[0].Stages() {
		got = append(got, fmt.Sprintf("%s %s %s %d", s.Path, s.Name, s.NS, s.Depth))
	}
	want := []string{
		"pipeline[0] $facet shop.c 0",
		"pipeline[0].$facet.data[0] $lookup shop.c 1",
		"pipeline[0].$facet.data[0].$lookup.pipeline[0] $unionWith shop.users 2",
		"pipeline[0].$facet.data[0].$lookup.pipeline[0].$unionWith.pipeline[0] $limit shop.old 3",
		"pipeline[1] $count shop.c 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for range o.Statements()[0].Stages() {
		break // a walk may end early
	}
}
