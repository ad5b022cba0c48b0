package analyzers

import "mongoadvisor/internal/analysis"

// All lists the rules in the order of the catalogue. It makes new values at
// each call: a caller may change them.
//
// Left out so far: Q11, S05 and S07, which need time or state over many
// operations; I01 to I03 and the second half of Q04, which need what only the
// server knows.
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
		unboundedRead(),
		unindexedQuery(),
		fullCountByAggregate(),
		unboundedArrayGrowth(),
		sliceMisuse(),
		unboundedMapKeys(),
		wholeDocumentRewrite(),
		unbatchedWrites(),
		unselectiveMultiWrite(),
		hotCounterDocument(),
		volatileReferenceFanout(),
		repeatedLookup(),
		lookupPipelineEquality(),
		lookupUnindexedForeign(),
		graphLookupHotPath(),
		recomputedAggregate(),
		filterAfterExpansion(),
		unboundedAccumulator(),
		largeArrayObserved(),
		bloatedDocument(),
		documentSizeForecast(),
		tooManyCollections(),
		tinyEventDocuments(),
		fieldTypeDrift(),
		attributeSprawl(),
		multikeyFanout(),
		indexDDLOnHotPath(),
		connectionChurn(),
		deadlineAndCursorHygiene(),
		transactionMisuse(),
		errorStorm(),
		untraceableTraffic(),
		weakWriteConcern(),
	}
}

// filterCommands are the commands that carry filters.
var filterCommands = []string{
	"find", "aggregate", "count", "distinct", "update", "delete", "findAndModify", "bulkWrite", "mapReduce",
}

// updateCommands are the commands that carry updates; aggregate does in $merge.
var updateCommands = []string{"update", "findAndModify", "bulkWrite", "aggregate"}
