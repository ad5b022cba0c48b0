// Package analyzers holds the rules: one per file, each a value in the list of
// [All]. What they share has a file of its own: which regular expressions a
// rule may speak of (patterns.go), what makes an array grow and what bounds it
// (growth.go, bounds.go), and how a fix is written (mongosh.go).
package analyzers
