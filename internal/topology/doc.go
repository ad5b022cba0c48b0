// Package topology lets drivers of a replica set work through one listener for
// each member: in the replies that name members it puts the address of our
// listener in the place of each member's own, and back again in the few
// commands that set them. It is the only part that changes bytes, and opt-in.
//
// # What is rewritten
//
// Strings at the paths in paths.go, and with them the lengths of the documents
// and the message they are in, and its checksum. Every other byte stays. A
// message in which no known name occurs passes as the very bytes it came in.
//
// # How it stays out of the way
//
// Only interesting messages are held back until they are whole: replies to a
// request that was noted, and the requests that name members. Of all others the
// start is looked at, in place; a chunk without an interesting message is
// returned as it is, without a copy or an allocation. Compressed requests are
// unpacked up to 64 KiB, since the command cannot be known otherwise.
//
// A stream that is not framed MongoDB (TLS, HTTP, an impossible length, an
// unknown opcode, nested compression) passes unchanged for ever after, in both
// directions. A message whose content cannot be read (bad BSON, an unknown
// compressor) passes unchanged by itself: its length still says where the next
// one starts, and a server answers it and goes on. A panic ends in the first of
// these. Each is counted in Stats.
//
// # Compression
//
// A message that was compressed and is rewritten goes out uncompressed: the
// protocol lets either side do so at any time, drivers must take it since hello
// itself is never compressed, and it needs no encoder with its state and memory
// here. The price is some hundred bytes for each hello. Where nothing was
// rewritten the compressed bytes pass as they came.
package topology
