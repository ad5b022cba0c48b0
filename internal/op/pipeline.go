package op

import (
	"iter"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Stage is one stage of an aggregation, nested ones included.
type Stage struct {
	Name  string // "$match"
	Value bsoncore.Value
	NS    Namespace // the collection whose documents flow into its pipeline
	Path  string    // "pipeline[1].$facet.data[0]"
	Index int       // position in its own pipeline
	// Pipeline is the pipeline it stands in.
	Pipeline []bsoncore.Document
	Depth    int    // 0 for the outermost pipeline
	Joined   string // foreignField of the $lookup whose pipeline this is; "" for none

	first bool
}

// First reports whether the stage sees the stored documents: only stages that
// filter or order come before it.
func (s Stage) First() bool { return s.first }

// Stages walks the statement's aggregation, nested pipelines right after the
// stage that holds them.
func (s *Statement) Stages() iter.Seq[Stage] {
	return func(yield func(Stage) bool) {
		walkPipeline(s.Pipeline, s.NS, "pipeline", 0, "", yield)
	}
}

func walkPipeline(stages []bsoncore.Document, ns Namespace, path string, depth int, joined string, yield func(Stage) bool) bool {
	first := true
	for i, d := range stages {
		for name, v := range Fields(d) {
			st := Stage{
				Name: name, Value: v, NS: ns, Path: path + "[" + strconv.Itoa(i) + "]",
				Index: i, Pipeline: stages, Depth: depth, Joined: joined, first: first,
			}
			if !yield(st) || !walkNested(st, yield) {
				return false
			}
			break // a stage has one field
		}
		switch FirstKey(d) {
		case "$match", "$sort", "$geoNear", "$limit", "$skip", "$sample":
		default:
			first = false
		}
	}
	return true
}

// walkNested walks the pipelines inside one stage.
func walkNested(st Stage, yield func(Stage) bool) bool {
	spec := Doc(st.Value)
	down := func(v bsoncore.Value, ns Namespace, at string) bool {
		joined := ""
		if st.Name == "$lookup" {
			joined = Str(Get(spec, "foreignField"))
		}
		return walkPipeline(Docs(v), ns, st.Path+"."+at, st.Depth+1, joined, yield)
	}
	switch st.Name {
	case "$facet":
		for name, v := range Fields(spec) {
			if !down(v, st.NS, "$facet."+Name(name)) {
				return false
			}
		}
	case "$lookup":
		return down(Get(spec, "pipeline"), LookupFrom(spec, st.NS), "$lookup.pipeline")
	case "$unionWith":
		ns := Namespace{DB: st.NS.DB, Coll: Str(Get(spec, "coll"))}
		return down(Get(spec, "pipeline"), ns, "$unionWith.pipeline")
	case "$rankFusion", "$scoreFusion":
		for name, v := range Fields(Doc(Get(Doc(Get(spec, "input")), "pipelines"))) {
			if !down(v, st.NS, st.Name+".input.pipelines."+Name(name)) {
				return false
			}
		}
	}
	return true
}

// LookupFrom returns the foreign collection of a $lookup or $graphLookup. The
// object form {db, coll} names another database; without "from" (only
// $documents inside) the collection is empty.
func LookupFrom(spec bsoncore.Document, local Namespace) Namespace {
	from := Get(spec, "from")
	if d := Doc(from); d != nil {
		return Namespace{DB: Str(Get(d, "db")), Coll: Str(Get(d, "coll"))}
	}
	return Namespace{DB: local.DB, Coll: Str(from)}
}
