// Package disk keeps a store's findings in a directory: a snapshot that is replaced as
// a whole, and a history of what was announced.
//
//	findings.json    the snapshot, a store.State
//	findings.json.new  one that is being written
//	history.jsonl    a line for each announcement; history.1.jsonl those before
//	lock             held by the process that writes
//
// A snapshot that cannot be read is renamed, never overwritten.
package disk
