package op

// Coverage is how much of the traffic was understood, first thing in every
// report.
type Coverage struct {
	Connections            int64            `json:"connections"`
	ConnectionsUninspected int64            `json:"connections_uninspected"`
	ConnectionsMidStream   int64            `json:"connections_mid_stream"`
	Bytes                  int64            `json:"bytes"`
	BytesUninspected       int64            `json:"bytes_uninspected"`
	Messages               int64            `json:"messages"`
	Decoded                int64            `json:"decoded"`
	Undecoded              map[string]int64 `json:"undecoded,omitempty"`
	Shed                   map[string]int64 `json:"shed,omitempty"`
	Operations             int64            `json:"operations"`
	// Recognised are the operations of which the shape was counted and no more, because
	// more came than are decoded; SampleRate is the share of the others, 0 to 1.
	Recognised int64   `json:"operations_recognised"`
	SampleRate float64 `json:"sample_rate"`
	// Encrypted are the operations with values that the client encrypted: nothing can be
	// said of what is in them.
	Encrypted          int64 `json:"operations_encrypted,omitempty"`
	RepliesUnpaired    int64 `json:"replies_unpaired"`
	RequestsUnanswered int64 `json:"requests_unanswered"`
	// Ratio is the smallest of decoded or recognised messages to all messages, of readable
	// bytes to all bytes, and of understood to all records, 0 to 1; 1 when there was no
	// traffic.
	Ratio float64 `json:"ratio"`
	// Packets is what was lost on the way from packets to messages; nil unless the source
	// reads packets.
	Packets *PacketCoverage `json:"packets,omitempty"`
	// Records is what was read of a log or a profiler export; nil for other sources.
	Records *RecordCoverage `json:"records,omitempty"`
	// Applications are the operations of each application, the most first, the rest of
	// many summed up in one.
	Applications []AppCoverage `json:"applications,omitempty"`
}

// PacketCoverage counts the packets of a capture.
type PacketCoverage struct {
	Packets   int64            `json:"packets"`
	Bytes     int64            `json:"bytes"`                 // captured, all layers
	Skipped   map[string]int64 `json:"skipped"`               // by reason: "not-tcp", "fragment", …
	Dropped   int64            `json:"dropped"`               // by the kernel or the capturing program
	Truncated int64            `json:"truncated"`             // packets longer than the snap length
	LostBytes int64            `json:"lost_bytes"`            // of streams: gaps between packets
	Gaps      int64            `json:"gaps"`                  // how many of them
	Resyncs   int64            `json:"resynchronised"`        // times a stream was taken up again behind one
	OtherTCP  int64            `json:"connections_other"`     // TCP connections that are not MongoDB's
	OneSided  int64            `json:"connections_one_sided"` // of which only one direction was seen
	TLS       int64            `json:"connections_tls"`       // that look like TLS, whatever is in it
	// OneDirection says that only requests, or only replies, were captured of all
	// connections: "requests", "replies"; "" when both were.
	OneDirection string `json:"one_direction,omitempty"`
	Incomplete   bool   `json:"incomplete"` // the file ends inside a packet
}

// RecordCoverage counts the lines of a log, or the documents of a profiler export.
type RecordCoverage struct {
	Records   int64            `json:"records"`
	Bytes     int64            `json:"bytes"`
	Slow      int64            `json:"slow"`      // those that tell of an operation
	Decoded   int64            `json:"decoded"`   // of these, made into operations or left out for a reason
	Skipped   map[string]int64 `json:"skipped"`   // tell of operations, left out, by reason: "duplicate", "internal", …
	Undecoded map[string]int64 `json:"undecoded"` // tell of operations, not understood, by reason
	Truncated int64            `json:"truncated"` // operations whose command the server cut
	Redacted  int64            `json:"redacted"`  // operations whose values the server replaced by "###"
	// Complete says that every operation was logged (slowms 0), not only slow ones.
	Complete bool `json:"complete"`
}

// AppCoverage is one application, by the name it gave; "" gave none.
type AppCoverage struct {
	App        string `json:"app"`
	Operations int64  `json:"operations"`
}
