// Package demo is the shop of the lessons on a real mongod: its data, a
// workload with both sides of every "do this, not that", and proofs by explain
// that the advice works. It knows neither the proxy nor the rules: it gets
// clients and uses them.
package demo
