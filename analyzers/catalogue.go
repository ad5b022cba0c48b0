package analyzers

import "mongoadvisor/internal/analysis"

// All lists the rules in the order of the catalogue. It makes new values at
// each call: a caller may change them.
//
// Left out so far: I01 to I03, which need what only the server knows; see
// NeedInspection.
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
		repeatedPointReads(),
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
		separatedData(),
		tinyEventDocuments(),
		treeModelMismatch(),
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
