// Package chaos holds the test of everything at once: clients of every kind on a
// replica set of three behind `mongoadvisor proxy --topology`, TLS on both sides,
// while members die and come back, primaries step down, connections are cut and
// certificates change.
//
//	go test ./e2e/chaos                                   # half a minute of it
//	MONGOADVISOR_CHAOS=30m go test -v -timeout 0 ./e2e/chaos
//	MONGOADVISOR_CHAOS_SEED=7 go test -v ./e2e/chaos      # the same order of events again
package chaos
