package analyzers_test

// readFixes are the fixes for reads that belong together: Q11, S05, S07.
var readFixes = []fixCase{}
