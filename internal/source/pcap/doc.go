// Package pcap turns captured packets into operations: it reads capture files,
// takes TCP out of its layers, puts the streams together, and gives their messages
// to sessions. What is missing is counted, and never taken for silence.
package pcap
