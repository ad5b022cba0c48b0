package analyzers_test

// arrayFixes are the fixes for arrays and sizes of documents: W01, S01 to S03, I04.
var arrayFixes = []fixCase{}
