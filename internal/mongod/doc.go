// Package mongod finds a real mongod, fetches a pinned one when there is none,
// and runs it on loopback: for the demo and for tests. The server is fetched at
// run time and never shipped: its licence is not ours to pass on.
package mongod
