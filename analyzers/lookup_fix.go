package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// lookupFix stores what is joined where it is read: the newest few of many, the
// fields of one match that are read, or the match. Replies showed longest matches.
func lookupFix(l *lookup, reason string, longest int) analysis.Fix {
	fix := analysis.Fix{Text: "Store what is read together in one place: embed a single match, copy a few stable fields beside the reference, or embed the newest few of many with $slice."}
	local, from := coll(l.Stage.NS), collName(l.From.Coll)
	as := op.Path(l.As)
	if as == op.Path(l.Local) { // the copy stands beside the reference, not in its place
		as = singular(l.From.Coll)
	}
	used := l.used()
	if l.Local == "" || indexable(as) == "" {
		return fix
	}
	if order := l.newest(); order != nil {
		return subsetFix(l, as, order)
	}
	if l.Foreign != "_id" && (l.Local == "_id" || longest > 1) && reason != "one-to-one" && len(used) == 0 {
		return childrenFix(l, as)
	}
	copied := "name: <name>"
	if len(used) > 0 {
		fix.Text = "Only " + strings.Join(used, ", ") + " of the joined document are read: copy these beside the reference (extended reference), and update the copies when they change, which is seldom for stable fields."
		var parts []string
		for _, u := range used {
			if u != "_id" && indexable(u) != "" && !strings.Contains(strings.Join(parts, ", ")+",", field(last(u))+": ") {
				parts = append(parts, field(last(u))+": <"+u+">")
			}
		}
		if len(parts) > 0 {
			copied = strings.Join(parts, ", ")
		}
	} else if reason == "one-to-one" {
		fix.Text = "One match is expected: embed it, or copy its few stable fields beside the reference (extended reference) and update the copies when they change."
	}
	copies := "{ _id: <" + singular(op.Path(l.From.Coll)) + " id>, " + copied + " }"
	if reason != "one-to-one" && (as != singular(as) || strings.Contains(l.Local, ".")) {
		copies = "[" + copies + "]" // a list of references, as far as the names tell
	}
	lines := []string{
		local + ".updateOne({ _id: <id> }, { $set: { " + field(as) + ": " + copies + " } })",
		local + ".createIndex({ " + quote(as+"._id") + ": 1 })  // to update the copies when the original changes",
	}
	if l.Foreign != "_id" && indexable(op.Path(l.Foreign)) != "" {
		lines = append(lines, from+".createIndex({ "+field(op.Path(l.Foreign))+": 1 })  // as long as the join stays")
	}
	fix.Mongosh = strings.Join(lines, "\n")
	return fix
}

// childrenFix embeds the newest few of what belongs to a document, and never all.
func childrenFix(l *lookup, as string) analysis.Fix {
	one, parent := singular(l.From.Coll), "_id: <id>"
	if local := indexable(op.Path(l.Local)); l.Local != "_id" && local != "" {
		parent = field(local) + ": <" + local + ">"
	}
	lines := []string{
		coll(l.Stage.NS) + ".updateOne({ " + parent + " }, { $push: { " + field(as) + ": { $each: [<the new " + one + ">], $slice: -10 } }, $inc: { " + field(singular(as)+"Count") + ": 1 } })  // with each insert into " + l.From.Coll,
	}
	if path := indexable(op.Path(l.Foreign)); path != "" {
		lines = append(lines, coll(l.From)+".createIndex({ "+field(path)+": 1 })  // as long as the join stays")
	}
	return analysis.Fix{
		Text:    "Any number of " + op.Path(l.From.Coll) + " can belong to one document: embed the newest few with each insert and let $slice cut the rest (subset pattern), and count them there if their number is shown. The whole list stays where it is, for the page that shows all.",
		Mongosh: strings.Join(lines, "\n"),
	}
}

// newest is the order in which the join takes the first few of many, or nil.
func (l *lookup) newest() bsoncore.Document {
	inner := op.Docs(op.Get(l.Spec, "pipeline"))
	for i, d := range inner {
		if order := op.Doc(op.Get(d, "$sort")); order != nil {
			if limitFollows(inner[i+1:]) && sortText(order) != "" {
				return order
			}
			return nil
		}
	}
	return nil
}

// subsetFix embeds the first few in the order of the join; the whole list stays
// where it is.
func subsetFix(l *lookup, as string, order bsoncore.Document) analysis.Fix {
	one := singular(op.Path(l.From.Coll))
	lines := []string{
		coll(l.Stage.NS) + ".updateOne({ _id: <id> }, { $push: { " + field(as) + ": { $each: [<the new " + one + ">], $sort: " + sortText(order) + ", $slice: <n> } } })  // with each insert into " + op.Path(l.From.Coll),
	}
	if path := indexable(op.Path(l.Foreign)); path != "" && path == l.Foreign {
		keys := strings.Trim(sortText(order), "{} ")
		lines = append(lines, coll(l.From)+".createIndex({ "+field(path)+": 1, "+keys+" })  // as long as the join stays")
	}
	return analysis.Fix{
		Text:    "Only the first few of " + op.Path(l.From.Coll) + " are read: embed these and let each write cut the rest (subset pattern). The whole list stays where it is, for the page that shows all.",
		Mongosh: strings.Join(lines, "\n"),
	}
}
