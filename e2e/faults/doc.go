// Package faults holds the tests of forwarding when the network or a peer fails.
// Everything runs in the process of the test: a proxy, the analysis behind it
// with every rule, and both outer ends.
package faults
