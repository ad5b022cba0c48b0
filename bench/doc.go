// Command bench does the same work directly and through forwarders, and prints
// what each costs:
//
//	go run ./bench -quick          # the table, in under three minutes
//	go run ./bench -write          # all of it; docs/performance.md and its plot are written anew
//	go run ./bench -soak 30m       # random requests, and the memory of mongoadvisor
//
// # Targets
//
//	direct, direct2  the upstream itself; how far the two differ is the noise
//	haproxy          HAProxy in TCP mode, of the PATH: the bar
//	copy             a bare copy in both directions (io.Copy, which splices on Linux)
//	off              mongoadvisor proxy with every rule off
//	on               mongoadvisor proxy as it comes, all rules on
//	tls              the same with TLS from the client
//
// # Loads
//
// Against an upstream that answers from memory, so that the forwarder dominates,
// and against a real mongod through the Go driver. In each round every load runs
// on every target, one right after the other; a ratio is one of figures of the
// same round, and the table has the median over rounds and the range. Client,
// forwarder and upstream share the machine: a forwarder takes processors from the
// other two, so throughput is a ratio of total work, and CPU per operation, of the
// forwarder's process alone, is the steadier figure.
//
// CPU comes from /proc/PID/stat in ticks of 10 ms, peak memory from VmHWM, which
// is reset before each load. Linux only.
package main
