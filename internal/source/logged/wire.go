package logged

import (
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// wire is the command as it would have been sent: one statement of an update gets
// the command around it, a request before 3.2 becomes the command of today.
func wire(r *Record, ns op.Namespace, command bsoncore.Document) bsoncore.Document {
	name, statement := writeOf(r, command)
	switch {
	case statement && r.Kind != "command":
		return writeCommand(r, ns, name, command)
	case !r.Legacy:
		return command
	}
	switch r.Kind {
	case "insert":
		return named(ns, "insert")
	case "getmore":
		at, out := bsoncore.AppendDocumentStart(nil)
		out = bsoncore.AppendInt64Element(out, "getMore", r.Cursor)
		out = bsoncore.AppendStringElement(out, "collection", ns.Coll)
		out = bsoncore.AppendStringElement(out, "$db", ns.DB)
		out, _ = bsoncore.AppendDocumentEnd(out, at)
		return out
	}
	return findOf(r, ns, command)
}

// shortened is what can be said of a command that is too long for system.profile,
// which has the beginning of a text in its place: "{ find: "orders", filter: …".
func shortened(r *Record, text string) bsoncore.Document {
	ns := op.ParseNamespace(r.NS)
	first, _, _ := strings.Cut(strings.TrimLeft(text, "{ \""), ":")
	first = strings.TrimRight(first, "\" ")
	switch r.Kind {
	case "update":
		first = "update"
	case "remove":
		first = "delete"
	}
	switch _, kind := op.Command(first); {
	case first == "getMore":
		r.Kind, r.Legacy = "getmore", false
		at, out := bsoncore.AppendDocumentStart(nil)
		out = bsoncore.AppendInt64Element(out, first, r.Cursor)
		out = bsoncore.AppendStringElement(out, "collection", ns.Coll)
		out, _ = bsoncore.AppendDocumentEnd(out, at)
		return out
	case kind == op.KindRead || kind == op.KindWrite:
		r.Kind, r.Legacy = "command", false
		return named(ns, first)
	}
	return named(ns, op.OtherCommand)
}

// named is a command with nothing but its collection.
func named(ns op.Namespace, name string) bsoncore.Document {
	at, out := bsoncore.AppendDocumentStart(nil)
	out = bsoncore.AppendStringElement(out, name, ns.Coll)
	out = bsoncore.AppendStringElement(out, "$db", ns.DB)
	out, _ = bsoncore.AppendDocumentEnd(out, at)
	return out
}

// writeCommand puts a statement into its command.
func writeCommand(r *Record, ns op.Namespace, name string, statement bsoncore.Document) bsoncore.Document {
	at, out := bsoncore.AppendDocumentStart(nil)
	out = bsoncore.AppendStringElement(out, name, ns.Coll)
	list, out := bsoncore.AppendArrayElementStart(out, name+"s")
	out = statements(out, []bsoncore.Document{statementOf(r, statement)})
	out, _ = bsoncore.AppendArrayEnd(out, list)
	out = bsoncore.AppendStringElement(out, "$db", ns.DB)
	out, _ = bsoncore.AppendDocumentEnd(out, at)
	return out
}

// statementOf is a statement as it stands in its command: before 3.6 only its
// filter was logged, and the update beside it.
func statementOf(r *Record, command bsoncore.Document) bsoncore.Document {
	if op.Get(command, "q").Type != 0 {
		return command
	}
	at, out := bsoncore.AppendDocumentStart(nil)
	out = bsoncore.AppendDocumentElement(out, "q", command)
	if r.Update.Type != 0 {
		out = bsoncore.AppendValueElement(out, "u", r.Update)
	}
	out, _ = bsoncore.AppendDocumentEnd(out, at)
	return out
}

// statements appends documents as the elements of an array.
func statements(out []byte, docs []bsoncore.Document) []byte {
	for i, d := range docs {
		out = bsoncore.AppendDocumentElement(out, strconv.Itoa(i), d)
	}
	return out
}

// findOf is the find that a query before 3.2 would be today: the filter alone, or
// in {$query: …, $orderby: …}.
func findOf(r *Record, ns op.Namespace, query bsoncore.Document) bsoncore.Document {
	at, out := bsoncore.AppendDocumentStart(nil)
	out = bsoncore.AppendStringElement(out, "find", ns.Coll)
	filter := query
	if first := op.FirstKey(query); first == "$query" || first == "query" {
		if inner := op.Doc(op.Get(query, first)); inner != nil {
			filter = inner
			for _, pair := range [][2]string{{"$orderby", "sort"}, {"orderby", "sort"}, {"$hint", "hint"}, {"$comment", "comment"}} {
				if v := op.Get(query, pair[0]); v.Type != 0 {
					out = bsoncore.AppendValueElement(out, pair[1], v)
				}
			}
		}
	}
	out = bsoncore.AppendDocumentElement(out, "filter", filter)
	if r.limit > 0 {
		out = bsoncore.AppendInt64Element(out, "limit", r.limit)
	}
	if r.skip > 0 {
		out = bsoncore.AppendInt64Element(out, "skip", r.skip)
	}
	out = bsoncore.AppendStringElement(out, "$db", ns.DB)
	out, _ = bsoncore.AppendDocumentEnd(out, at)
	return out
}
