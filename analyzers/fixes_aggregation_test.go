package analyzers_test

// aggregationFixes are the fixes for aggregations: the group A.
var aggregationFixes = []fixCase{}
