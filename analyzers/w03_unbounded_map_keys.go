package analyzers

import (
	"cmp"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func unboundedMapKeys() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "W03", Name: "unbounded-map-keys", Since: "0.2.0", Severity: analysis.Medium,
		Title:    "Field names that are data",
		Commands: []string{"insert", "update", "findAndModify", "bulkWrite"}, Run: runUnboundedMapKeys,
		State: &analysis.StateSpec{Scope: analysis.ScopeNamespace, Max: 128, New: func() any { return newKeyMaps() }},
		Reasons: []analysis.Reason{
			{Name: "data-keys", Doc: "keys that look like values: ids, dates, mail addresses, numbers"},
			{Name: "many-keys", Doc: "more and more different keys, in all documents or in one"},
		},
		Limits: []analysis.Limit{
			{Name: "data-keys", Default: 5, Unit: "keys", Doc: "different keys that look like values from which it is reported"},
			{Name: "keys", Default: 200, Unit: "keys", Doc: "different keys of one subdocument, in all documents, from which it is reported whatever they look like"},
			{Name: "document-keys", Default: 50, Unit: "keys", Doc: "different keys written to one document from which it is reported, and from which it is high"},
			{Name: "vocabulary", Default: 64, Unit: "keys", Doc: "different keys up to which a fixed vocabulary is assumed when none looks like a value"},
		},
		Doc: analysis.Doc{
			What: "Updates that write below a path whose last name is a value: `$inc: {\"byDay.2026-01-05\": 1}`, `$set: {\"members.<user id>\": …}`; by any operator, in `$set` of a pipeline, in `findAndModify` and `bulkWrite`. And documents that are stored with such a subdocument; of a busy collection one insert in sixteen is looked at. All keys of one path are one finding. Keys are counted by their hashes and never shown.",
			Why: "Only a wildcard index covers keys that are not known in advance, and a query or a sum cannot go over keys as it goes over values; nothing bounds their number, so that the document grows as one with an unbounded array does. " +
				"Measured on MongoDB 6.0.5, median of one `$inc` of a key: 0.19 ms among 50 keys, 0.22 ms among 1,000, 0.48 ms among 10,000.",
			Fix: "Make the key a value: one small document for each in a collection of its own, with a unique index on parent and key; or, where a document has only few of them, an array of `{k, v}` with one index on both (attribute pattern).",
			Guards: "Silent for keys that look like names, up to the limits `keys`, `document-keys` and `vocabulary`: languages, weekdays and states are fixed vocabularies; for numbers below 1,000, which are positions in arrays (W01), and for years; for fields at the top of a document. " +
				"Wrong here when the keys are few and known, and only look like values.",
			Lesson: "Attribute pattern; the same risk as an unbounded array.",
		},
	}
}

func runUnboundedMapKeys(p *analysis.Pass) {
	known := p.State().(*keyMaps)
	statements := p.Op.Statements()
	for i := range statements {
		s := &statements[i]
		id := uint64(0)
		for c := range changes(s.Update) {
			if strings.IndexByte(c.Path, '.') < 0 {
				continue
			}
			if id == 0 {
				id, _ = target(s)
			}
			keysOf(c, func(k mapKey) bool {
				m := known.add(s.NS.Coll, id, k)
				judgeKey(p, i, k, m)
				return !k.Data && m.reason == ""
			})
		}
		if stored := storedDocument(s); stored != nil && known.look() {
			storedKeys(stored, func(k mapKey) {
				judgeKey(p, i, k, known.add(s.NS.Coll, op.Hash(op.Get(stored, "_id")), k))
			})
		}
	}
}

func storedDocument(s *op.Statement) []byte {
	if s.Document != nil {
		return s.Document
	}
	return s.Update.Replacement
}

// decide gives a subdocument its reason, once and for all: mixed keys must not
// make two findings of one map.
func (m *keyMap) decide(p *analysis.Pass) {
	keys := int64(m.keys.Len())
	switch {
	case m.reason != "":
	case m.data >= p.Limit("data-keys"):
		m.reason = "data-keys"
	case keys >= min(p.Limit("keys"), maxMapKeys), m.most >= p.Limit("document-keys") && keys > p.Limit("vocabulary"):
		m.reason = "many-keys"
	}
}

// judgeKey reports a key of a subdocument that is a map of data.
func judgeKey(p *analysis.Pass, statement int, k mapKey, m *keyMap) {
	m.decide(p)
	if m.reason == "" || m.reason == "data-keys" && !k.Data {
		return
	}
	prefix := op.Path(k.Prefix)
	shown := cmp.Or(indexable(prefix), prefix) // the latter below another key that is data
	s := &p.Op.Statements()[statement]
	f := analysis.Finding{
		Reason: m.reason, Statement: statement, NS: s.NS, Fields: []string{shown},
		Shape:   op.TextShape("{map: {" + shown + ".<key>: …}}"),
		Message: "the keys of " + shown + " are data: values are used as field names",
		Advice:  "Only a wildcard index covers keys that are not known in advance, and nothing bounds their number: the document grows with each.",
		Caveat:  "the keys may be few and known, and only look like values",
		Evidence: []analysis.Evidence{
			{Name: "different_keys", Value: int64(m.keys.Len()), Limit: p.Limit("keys"), Unit: "keys"},
			{Name: "keys_that_look_like_values", Value: m.data, Limit: p.Limit("data-keys"), Unit: "keys"},
			{Name: "keys_on_one_document", Value: m.most, Limit: p.Limit("document-keys"), Unit: "keys"},
		},
	}
	if m.reason == "many-keys" {
		f.Message = "more and more different keys in " + shown
	}
	large := m.most >= p.Limit("document-keys")
	if large {
		f.Severity, f.Override = analysis.High, true
	}
	f.Fix = keyFix(s.NS, prefix, k, m.reason == "many-keys" && !large)
	p.Report(f)
}
