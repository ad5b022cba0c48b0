package analyzers

import (
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func bloatedDocument() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "S02", Name: "bloated-document", Since: "0.2.0", Severity: analysis.Low,
		Title:    "Document that carries more than its readers want",
		Commands: arrayCommands, Run: runBloatedDocument, State: arrayState(),
		Reasons: []analysis.Reason{
			{Name: "large", Doc: "documents of the collection are large as they are written or returned"},
		},
		Limits: []analysis.Limit{
			{Name: "bytes", Default: 200_000, Unit: "bytes", Doc: "size of one document from which it is low"},
			{Name: "many-bytes", Default: 1_000_000, Unit: "bytes", Doc: "size from which it is medium"},
			{Name: "very-many-bytes", Default: 2_000_000, Unit: "bytes", Doc: "size from which it is high"},
		},
		Doc: analysis.Doc{
			What: "The size of each document that is inserted, replaced or returned as it is stored, and the fields that hold most of its bytes. Of documents that are too large to be kept, the size and the fields at their beginning are read.",
			Why: "The server reads and caches documents as a whole, whatever a projection leaves of them, and writes them as a whole at each change. Measured on MongoDB 6.0.5, median of a read by `_id`: 2 KB 0.2 ms, 200 KB 0.3 ms, 1 MB 0.8 ms, 2 MB 1.7 ms (0.4 ms with a projection on one small field); of an `$inc` on them 0.3, 0.4, 0.7 and 1.5 ms. " +
				"Levels of others: Atlas warns from 2 MB, Compass from 10 MB; the texts of the agent skills name 200 KB and 1 MB.",
			Fix: "Keep the large fields in a collection of their own under the same `_id`, and read them when they are wanted. A projection saves the line, not the cache.",
			Guards: "Silent for GridFS chunks, for what is binary for the most part and never read in part (a download), for a document that has nothing but `_id` beside its large field, for arrays that W01 or S01 reports, and for documents that S03 reports. " +
				"Of one operation the first 32 documents are looked at. Wrong here when every reader needs the whole document: the counts of whole and partial reads say what was seen.",
			Lesson: "Bloated documents: two megabytes to show a title; subset and extended reference patterns.",
		},
	}
}

func runBloatedDocument(p *analysis.Pass) {
	a := learnt(p)
	for _, d := range a.shown {
		if d.Size < p.Limit("bytes") || d.Size >= nearLimit && d.Whole {
			continue
		}
		c := a.of(d.NS)
		c.largest = max(c.largest, d.Size)
		severity, limit, _ := step(p, c.largest, rung{"bytes", analysis.Low}, rung{"many-bytes", analysis.Medium}, rung{"very-many-bytes", analysis.High})
		if it := c.sizes.Get(d.ID); it != nil && it.Value.reported {
			continue
		}
		w := weigh(d)
		if w.download && c.partial == 0 || len(w.large) > 0 && len(w.small) == 0 && w.all || c.teaches(w) {
			continue
		}
		reportBloat(p, d, c, w, severity, limit)
	}
}

// weights are the fields of a document, by whether they hold much of it.
type weights struct {
	large    []string // at least half of the bytes together, the largest first, clean
	small    []string // others but _id, the first maxUsed, clean
	share    int64    // of the large fields, in percent
	download bool     // the largest is binary
	all      bool     // every field is known
}

// weigh finds the fields that hold at least half of a document's bytes.
func weigh(d shown) weights {
	var w weights
	known := int64(5) // length and terminator
	var heavy docField
	for f := range d.fields {
		known += f.Size + int64(len(f.Name)) + 2
		if f.Name != "_id" && f.Size > heavy.Size {
			heavy = f
		}
	}
	w.all = known == d.Size
	if heavy.Size*4 < d.Size {
		return w // many fields of a like size: none of them is to be named
	}
	w.download = heavy.Type == bsoncore.TypeBinary && heavy.Size*2 >= d.Size
	var bytes int64
	for f := range d.fields {
		switch {
		case f.Name == "_id":
		case f.Size*4 >= d.Size:
			w.large = append(w.large, op.Path(f.Name))
			bytes += f.Size
		case len(w.small) < maxUsed:
			w.small = append(w.small, op.Path(f.Name))
		}
	}
	w.share = bytes * 100 / d.Size
	if w.share < 50 {
		w.large = nil
	}
	return w
}

// teaches reports whether another rule reports an array that makes the document
// large; of one whose fields are not known any array may.
func (c *collectionArrays) teaches(w weights) bool {
	for _, x := range c.arrays {
		if !x.taught() {
			continue
		}
		root, _, _ := strings.Cut(x.path, ".")
		for _, name := range w.large {
			if name == root {
				return true
			}
		}
		if len(w.large) == 0 && !w.all {
			return true
		}
	}
	return false
}

func reportBloat(p *analysis.Pass, d shown, c *collectionArrays, w weights, severity analysis.Severity, limit int64) {
	f := analysis.Finding{
		Reason: "large", Statement: d.Statement, NS: d.NS, Shape: op.TextShape("{document: large}"), Fields: w.large,
		Severity: severity, Override: true, Confidence: analysis.Observed,
		Message: "documents of the collection are large",
		Advice:  "The server reads, caches and writes documents as a whole. Atlas warns from 2 MB, Compass from 10 MB.",
		Caveat:  "every reader may need the whole document, as with a download",
		Fix:     bloatFix(d.NS, w),
		Evidence: []analysis.Evidence{
			{Name: "bytes", Value: d.Size, Limit: limit, Unit: "bytes"},
			{Name: "largest", Value: c.largest, Unit: "bytes"},
			{Name: "reads_whole", Value: c.whole, Unit: "operations"},
			{Name: "reads_of_some_fields", Value: c.partial, Unit: "operations"},
			{Name: "atlas_level", Value: 2_000_000, Unit: "bytes"},
			{Name: "compass_level", Value: 10_000_000, Unit: "bytes"},
		},
	}
	if f.Fields == nil {
		f.Fields = []string{}
	} else {
		f.Message += ": " + named(w.large) + " holds " + strconv.FormatInt(w.share, 10) + " % of the bytes"
	}
	p.Report(f)
}

// bloatFix parts the large fields from those that lists show.
func bloatFix(ns op.Namespace, w weights) analysis.Fix {
	large := "<large field>"
	if len(w.large) > 0 && indexable(w.large[0]) == w.large[0] {
		large = field(w.large[0])
	}
	small := []string{"<small field>: 1"}
	for i, name := range w.small {
		if i == 0 {
			small = nil
		}
		if indexable(name) == name && len(small) < 3 {
			small = append(small, field(name)+": 1")
		}
	}
	details := collName(ns.Coll + "Details")
	return analysis.Fix{
		Text: "Keep what few readers want in a collection of its own under the same _id, and let lists read the rest. Until then a projection spares the line, not the cache.",
		Mongosh: details + ".insertOne({ _id: <id>, " + large + ": <value> })\n" +
			coll(ns) + ".updateOne({ _id: <id> }, { $unset: { " + large + ": \"\" } })\n" +
			coll(ns) + ".find({ _id: <id> }, { " + strings.Join(small, ", ") + " })",
	}
}
