// Package regex answers, for a BSON regular expression, which index interval
// mongod derives from it, and why none.
//
// mongod does not ask whether a pattern is anchored. It reads the pattern once
// from the left, without understanding it, and stops at the first character
// that is not plainly itself; what it has by then is the interval. [Classify]
// repeats that reading byte by byte, its mistakes included, and compares the
// result with what the pattern means: where the two differ, a query returns
// fewer documents with an index than without one.
//
// The agreement with a server is a test of this package, not a claim: it asks
// a real mongod for the bounds of some thousand generated patterns.
package regex
