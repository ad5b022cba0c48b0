package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// sumFields lists the fields that are added up.
func sumFields(pipeline []bsoncore.Document) []string {
	out := []string{}
	for _, d := range pipeline {
		for name, acc := range op.Fields(op.Doc(op.Get(d, "$group"))) {
			if _, operand := operator(acc); name != "_id" {
				readPaths(operand, &out)
			}
		}
	}
	return out
}

// sumFix keeps the sums of a pipeline's $group in a collection of their own. What
// cannot be kept up to date by an update is computed by the clock.
func sumFix(s *op.Statement) analysis.Fix {
	fix := analysis.Fix{Text: "Compute it by the clock into a collection of its own, and read that."}
	at := len(s.Pipeline)
	for i, d := range s.Pipeline {
		if op.FirstKey(d) == "$group" {
			at = i
			break
		}
	}
	kept := collName(s.NS.Coll + "_sums")
	if at < len(s.Pipeline) {
		group := op.Doc(op.Get(s.Pipeline[at], "$group"))
		if update, ok := keepSums(group); ok {
			key := sumKey(group, s.Pipeline[:at])
			fix.Text = "Add up when a document is written: in the document that is read beside the sums, or in a collection of their own. An average is a sum and a count. State how exact the sums are after a failure between the two writes, or make them in one transaction."
			when := "  // with each insert\n"
			if at > 0 {
				when = "  // with each write that changes what is added up\n"
			}
			read := ".findOne({ _id: " + key + " })"
			if severalGroups(group, s.Pipeline[:at]) {
				read = ".find({})" + sumOrder(group, s.Pipeline[at+1:])
			}
			fix.Mongosh = kept + ".updateOne({ _id: " + key + " }, " + update + ", { upsert: true })" + when + kept + read
			if countsSome(s.Pipeline) {
				fix.Text = "See that an index begins with the fields of the filter: then keys are counted and no documents. If that is not enough, count when a document is written, in the document that is read beside the number or in a collection of its own."
			}
			return fix
		}
	}
	list := strings.TrimSuffix(pipelineText(s.Pipeline), "]")
	fix.Mongosh = coll(s.NS) + ".aggregate(" + list + ", { $out: " + quote(s.NS.Coll+"_sums") + " }])  // by the clock\n" + kept + ".find({})"
	return fix
}

// keepSums writes the update that does with one document what the accumulators do
// with many.
func keepSums(group bsoncore.Document) (update string, ok bool) {
	parts := map[string][]string{}
	add := func(operator, name, value string) {
		parts[operator] = append(parts[operator], field(name)+": "+value)
	}
	for name, acc := range op.Fields(group) {
		if name == "_id" {
			continue
		}
		function, operand := operator(acc)
		path := op.Path(fieldPath(operand))
		if name = op.Name(name); strings.HasPrefix(name, "<") || strings.Contains(path, "<") || len(parts["$inc"]) > maxUsed {
			return "", false
		}
		value := "<" + path + ">"
		if path == "" {
			value = "<value>"
		}
		n, number := op.Int(operand)
		switch {
		case function == "$count", function == "$sum" && number && n == 1:
			add("$inc", name, "1")
		case function == "$sum":
			add("$inc", name, value)
		case function == "$avg":
			add("$inc", name+"Sum", value)
			add("$inc", name+"Count", "1")
		case function == "$min", function == "$max":
			add(function, name, value)
		default:
			return "", false
		}
	}
	var out []string
	for _, operator := range []string{"$inc", "$min", "$max"} {
		if len(parts[operator]) > 0 {
			out = append(out, operator+": { "+strings.Join(parts[operator], ", ")+" }")
		}
	}
	return "{ " + strings.Join(out, ", ") + " }", len(out) > 0
}

// sumKey is what the sums are kept by: the group's key, or the one equality before
// a group of everything.
func sumKey(group bsoncore.Document, before []bsoncore.Document) string {
	if path := op.Path(fieldPath(op.Get(group, "_id"))); path != "" && !strings.Contains(path, "<") {
		return "<" + path + ">"
	}
	if readsFields(op.Get(group, "_id")) {
		return "<key>"
	}
	for _, d := range before {
		for pred := range (op.Filter{Doc: op.Doc(op.Get(d, "$match"))}).Predicates() {
			if path := op.Path(pred.Path); pred.Op == "$eq" && path != "" && !strings.Contains(path, "<") {
				return "<" + path + ">"
			}
		}
	}
	return quote("all")
}

// severalGroups reports whether a $group makes more than one document: its key is
// read from the documents, and no equality before it says which.
func severalGroups(group bsoncore.Document, before []bsoncore.Document) bool {
	id := op.Get(group, "_id")
	if !readsFields(id) {
		return false
	}
	for _, d := range before {
		for pred := range (op.Filter{Doc: op.Doc(op.Get(d, "$match"))}).Predicates() {
			if pred.Op == "$eq" && !pred.Negated && !pred.Or && pred.Path == fieldPath(id) {
				return false
			}
		}
	}
	return true
}

// sumOrder is the order in which the kept sums are read, and how many of them, as
// the stages behind the $group say. An average is not kept, so none has its order.
func sumOrder(group bsoncore.Document, after []bsoncore.Document) string {
	if len(after) == 0 {
		return ""
	}
	order := op.Doc(op.Get(after[0], "$sort"))
	text := sortText(order)
	if order == nil || text == "" {
		return ""
	}
	for path := range op.Fields(order) {
		function, _ := operator(op.Get(group, path))
		if path != "_id" && (function == "" || function == "$avg") {
			return ""
		}
	}
	if len(after) > 1 && op.FirstKey(after[1]) == "$limit" {
		return ".sort(" + text + ").limit(<n>)"
	}
	return ".sort(" + text + ")"
}
