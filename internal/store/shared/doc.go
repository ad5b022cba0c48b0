// Package shared lets several processes keep their findings in one MongoDB, where they
// add up: each writes what it has seen since it last did, and reads what the others
// have. The collections of the database:
//
//	findings    one document for each fingerprint
//	namespaces  operations and time of the findings' collections, and of everything ("*")
//	processes   who writes, with its coverage; forgotten after a month
//
// Times in updated are the server's. What a failed write was about is kept and written
// again, once, whatever the server had made of the first attempt: each document names
// the last writes that reached it.
package shared
