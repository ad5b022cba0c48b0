package analyzers

import "mongoadvisor/internal/analysis"

// All lists the rules in the order of the catalogue. It makes new values at
// each call: a caller may change them.
//
// Left out so far: Q09, W03 to W05, W07, W08, A03 to A07, S01 to S04, S06, S08, S09,
// the group I, and O01 to O04, O06, which need time or state over many operations; Q10, I01
// to I03 and the second half of Q04, which need what only the server knows.
// Left out for good: shard keys (they need the config servers' data), search
// relevance, security settings, backup and high availability.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		regexNoIndexPrefix(),
		regexCaseInsensitive(),
		regexOptionalQuantifier(),
		collationMismatch(),
		negatedPredicate(),
		unindexablePredicate(),
		oversizedInList(),
		deepSkipPagination(),
		repeatedPointReads(),
		fullCountByAggregate(),
		unboundedArrayGrowth(),
		sliceMisuse(),
		unselectiveMultiWrite(),
		repeatedLookup(),
		lookupPipelineEquality(),
		separatedData(),
		treeModelMismatch(),
		untraceableTraffic(),
	}
}

// filterCommands are the commands that carry filters.
var filterCommands = []string{
	"find", "aggregate", "count", "distinct", "update", "delete", "findAndModify", "bulkWrite", "mapReduce",
}

// updateCommands are the commands that carry updates; aggregate does in $merge.
var updateCommands = []string{"update", "findAndModify", "bulkWrite", "aggregate"}
