package analyzers_test

// writeFixes are the fixes for writes: W03 to W05, W07, W08.
var writeFixes = []fixCase{}
