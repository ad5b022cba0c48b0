// Package mongod finds a real mongod, fetches a pinned one when there is none,
// and runs it on loopback for the demo and for tests.
//
// The server is fetched when it is needed and never shipped: its licence (SSPL)
// is not ours to pass on.
package mongod
