package analyzers

import (
	"iter"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// change is one field that an update writes.
type change struct {
	Operator string // "$set" for a stage of a pipeline update, too
	Path     string // as sent
	Value    bsoncore.Value
}

// changes yields the fields that an update writes by operators or in the $set
// stages of its pipeline. A replacement is not among them, nor what takes away.
func changes(u op.Update) iter.Seq[change] {
	return func(yield func(change) bool) {
		if !fieldsOf(u.Operators, yield) {
			return
		}
		for _, stage := range u.Pipeline {
			if !fieldsOf(stage, yield) {
				return
			}
		}
	}
}

func fieldsOf(operators bsoncore.Document, yield func(change) bool) bool {
	for name, v := range op.Fields(operators) {
		switch name {
		case "$set", "$setOnInsert", "$inc", "$mul", "$min", "$max", "$currentDate", "$bit", "$push", "$addToSet", "$pushAll":
		case "$addFields":
			name = "$set"
		default:
			continue
		}
		for path, value := range op.Fields(op.Doc(v)) {
			if !yield(change{name, path, value}) {
				return false
			}
		}
	}
	return true
}

// cloned is a namespace that may be kept: those of operations alias messages.
func cloned(ns op.Namespace) op.Namespace {
	return op.Namespace{DB: strings.Clone(ns.DB), Coll: strings.Clone(ns.Coll)}
}
