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
	Recognised         int64   `json:"operations_recognised"`
	SampleRate         float64 `json:"sample_rate"`
	RepliesUnpaired    int64   `json:"replies_unpaired"`
	RequestsUnanswered int64   `json:"requests_unanswered"`
	// Ratio is the smaller of decoded or recognised messages to all messages and readable bytes
	// to all bytes, 0 to 1; 1 when there was no traffic.
	Ratio float64 `json:"ratio"`
}
