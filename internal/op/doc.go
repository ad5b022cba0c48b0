// Package op holds what every source of traffic produces and every rule reads:
// one [Operation] per command a client sent, whatever brought it here (proxy,
// capture, log, profiler), and the [Snapshot] an inspection of a live server
// yields. Nothing in it knows a rule or a source.
//
// Documents alias the message they arrived in. A message is never changed after
// it was decoded, so views may be shared; a rule that keeps a string beyond its
// call clones it, or the whole message stays in memory.
package op
