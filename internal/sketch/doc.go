// Package sketch holds the small, bounded summaries that rules keep of traffic:
// a set that stops growing, the most frequent keys of a stream, and how often
// something happened of late. None of them reads a clock, and all give the same
// answer for the same input. Not safe for concurrent use.
package sketch
