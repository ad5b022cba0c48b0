// Package live reads packets from a network interface, without libpcap and without C.
// Linux only: elsewhere tcpdump writes a file, or into a pipe, and package pcap reads
// that.
package live
