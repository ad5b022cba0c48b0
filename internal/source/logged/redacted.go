package logged

import (
	"bytes"
	"strconv"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// hidden is what the server writes in the place of each value when it redacts its
// log.
const hidden = "###"

// isRedacted reports whether a document carries redacted values: the string with
// its length and its end.
func isRedacted(doc bsoncore.Document) bool {
	return bytes.Contains(doc, []byte("\x04\x00\x00\x00"+hidden+"\x00"))
}

// redaction copies documents whose values are hidden. Two hidden values must not
// pass for equal, and a hidden option not for a wrong one: the values get a number
// each, and options what says the least.
type redaction struct {
	next uint64
}

func (r *redaction) document(doc bsoncore.Document, in string) bsoncore.Document {
	at, out := bsoncore.AppendDocumentStart(nil)
	for k, v := range op.Fields(doc) {
		if stage := k; in == "pipeline" && namesOthers[stage] {
			continue // names of collections and fields, all hidden
		}
		out = r.element(out, k, v, in)
	}
	out, _ = bsoncore.AppendDocumentEnd(out, at)
	return out
}

// namesOthers are stages of which a hidden copy would be about collections that do
// not exist.
var namesOthers = map[string]bool{"$lookup": true, "$graphLookup": true, "$unionWith": true, "$out": true, "$merge": true}

func (r *redaction) element(out []byte, k string, v bsoncore.Value, in string) []byte {
	switch v.Type {
	case bsoncore.TypeEmbeddedDocument:
		return bsoncore.AppendDocumentElement(out, k, r.document(op.Doc(v), below(k, in)))
	case bsoncore.TypeArray:
		return bsoncore.AppendArrayElement(out, k, bsoncore.Array(r.document(bsoncore.Document(v.Data), below(k, in))))
	case bsoncore.TypeString:
		if op.Str(v) == hidden {
			return r.hidden(out, k, in)
		}
	}
	return bsoncore.AppendValueElement(out, k, v)
}

// below is in which part of a command the elements of k are.
func below(k, in string) string {
	switch k {
	case "sort", "projection", "key", "fields", "$sort", "$project":
		return "directions"
	case "pipeline":
		return k
	}
	if in == "pipeline" && k != "" && k[0] >= '0' && k[0] <= '9' || in == "directions" {
		return in
	}
	return ""
}

func (r *redaction) hidden(out []byte, k, in string) []byte {
	r.next++
	text := hidden + strconv.FormatUint(r.next, 10)
	switch {
	case in == "directions", k == "limit", k == "batchSize":
		return bsoncore.AppendInt32Element(out, k, 1)
	case k == "$exists":
		return bsoncore.AppendBooleanElement(out, k, true)
	case k == "$options":
		return bsoncore.AppendStringElement(out, k, "")
	case k == "$regex", k == "regex":
		return bsoncore.AppendStringElement(out, k, "^"+text) // the best that it can be
	}
	return bsoncore.AppendStringElement(out, k, text)
}
