// Package engine runs rules over operations: it decides which operations count
// as workload, keeps the rules' state within bounds, learns indexes from the
// traffic, silences what was asked to be silent, and catches panics so that one
// broken rule costs only itself. It reads the traffic's clock and never the
// wall's, so that the same operations give the same findings.
package engine
