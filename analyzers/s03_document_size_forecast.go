package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func documentSizeForecast() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "S03", Name: "document-size-forecast", Since: "0.2.0", Severity: analysis.Critical, Needs: op.HasReply, Correctness: true,
		Title:    "Document near the limit of 16 MiB, or refused by it",
		Commands: arrayCommands, Run: runDocumentSizeForecast, State: arrayState(),
		Reasons: []analysis.Reason{
			{Name: "refused", Doc: "the server refused a write because the document would be too large (10334, 17419, 17420)"},
			{Name: "near-limit", Doc: "a document is almost as large as the server takes"},
			{Name: "growing", Doc: "a document grows at each write, and reaches the limit soon"},
		},
		Limits: []analysis.Limit{
			{Name: "near-bytes", Default: nearLimit, Unit: "bytes", Doc: "size from which a document is near the limit"},
			{Name: "days", Default: 30, Unit: "days", Doc: "a document that is full within so many days is reported"},
			{Name: "forecast-minutes", Default: 360, Unit: "minutes", Doc: "for how long it must have been seen growing before that is said"},
			{Name: "rises", Default: 5, Unit: "sizes", Doc: "larger sizes in a row that must have been seen"},
		},
		Doc: analysis.Doc{
			What: "The size of documents from 1 MiB on as they are written or returned, told apart by a hash of their `_id`, and writes that the server refused because of the size.",
			Why: "From 16 MiB on every write that would make the document larger fails, for ever, while reads go on working. Measured on MongoDB 6.0.5: an update by operators, by a pipeline and a `findAndModify` beyond the limit answer 10334, an upsert 17420, and the document stays as it was. " +
				"20 `$inc` on a document of 15 MB took 305 ms, on a small one 12 ms.",
			Fix:    "Move what grows into documents of its own before the day; the document that is full already first needs room: take its oldest part out.",
			Guards: "Silent for a document whose array W01 sees growing: that finding has the date. A smaller size begins anew, and so does a gap in which operations were left out under load. A date is said after six hours and five larger sizes. Reported at the first occurrence in every profile. Followed are 256 documents per collection. Wrong here when the document is known to be written once.",
			Lesson: "The limit of 16 MB; unbounded arrays.",
		},
	}
}

func runDocumentSizeForecast(p *analysis.Pass) {
	a := learnt(p)
	if tooLarge(p.Op) {
		reportRefused(p)
	}
	for _, d := range a.shown {
		if d.Size < watched || !d.HasID || !d.Whole {
			continue
		}
		c := a.of(d.NS)
		it := c.sizes.Get(d.ID)
		if it == nil || c.grows(d.ID) {
			continue
		}
		days, daily := it.Value.full(time.Duration(p.Limit("forecast-minutes"))*time.Minute, p.Limit("rises"))
		reason := ""
		switch {
		case d.Size >= p.Limit("near-bytes"):
			reason = "near-limit"
		case days >= 0 && days < float64(p.Limit("days")):
			reason = "growing"
		default:
			continue
		}
		it.Value.reported = true
		reportSize(p, d, reason, days, daily)
	}
}

// grows reports whether W01 reports growth of an array of the document.
func (c *collectionArrays) grows(id uint64) bool {
	for _, x := range c.arrays {
		if !x.grows {
			continue
		}
		if t := c.tracked(x, id); t != nil && t.grown >= grownAtLeast {
			return true
		}
	}
	return false
}

// grownAtLeast is from how many elements on the growth of an array explains the
// size of its document: W01's growth-pushes.
const grownAtLeast = 10

func reportSize(p *analysis.Pass, d shown, reason string, days, daily float64) {
	w := weigh(d)
	f := analysis.Finding{
		Reason: reason, Statement: d.Statement, NS: d.NS, Shape: op.TextShape("{document: " + reason + "}"), Fields: w.large,
		Confidence: analysis.Observed,
		Message:    "a document is near the limit of 16 MiB",
		Advice:     "At the limit every write that makes it larger fails, while reads go on working: nobody notices until something is missing.",
		Caveat:     "the document may be written once and change no more",
		Fix:        bloatFix(d.NS, w),
		Evidence: []analysis.Evidence{
			{Name: "bytes", Value: d.Size, Limit: p.Limit("near-bytes"), Unit: "bytes"},
			{Name: "limit", Value: maxDocumentSize, Unit: "bytes"},
		},
	}
	if reason == "growing" {
		f.Message = "a document grows towards the limit of 16 MiB"
	}
	if f.Fields == nil {
		f.Fields = []string{}
	}
	if days >= 0 {
		f.Evidence = append(f.Evidence,
			analysis.Evidence{Name: "bytes_per_day", Value: int64(daily + 0.5), Unit: "bytes"},
			analysis.Evidence{Name: "days_to_16_mib", Value: int64(days + 0.5), Limit: p.Limit("days"), Unit: "days"})
	}
	p.Report(f)
}

// reportRefused is about a write that a document was too large for, with the
// array that it would have made longer, if there is one.
func reportRefused(p *analysis.Pass) {
	f := analysis.Finding{
		Reason: "refused", Shape: op.TextShape("{document: refused}"), Fields: []string{}, Confidence: analysis.Confirmed,
		Message: "writes are refused because their document would be larger than 16 MiB",
		Advice:  "Every further write that makes the document larger fails, while reads go on working. What the write should have stored is lost unless the application keeps it.",
		Caveat:  "a test of the limit itself",
		Fix:     bloatFix(firstNS(p.Op), weights{}),
		Evidence: []analysis.Evidence{
			{Name: "limit", Value: maxDocumentSize, Unit: "bytes"},
		},
	}
	for g := range growths(p.Op) {
		path := op.Path(g.Path)
		f.Statement, f.Fields = g.Statement, []string{path}
		f.Message += ": array " + path + " has grown too long"
		f.Fix = growthFix(g, path)
		break
	}
	p.Report(f)
}

// firstNS is the collection of an operation's first statement.
func firstNS(o *op.Operation) op.Namespace {
	if s := o.Statements(); len(s) > 0 {
		return s[0].NS
	}
	return o.NS
}
