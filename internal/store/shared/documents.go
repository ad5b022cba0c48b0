package shared

import (
	"strconv"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// maxWrites is how many writes a document remembers. More processes than that, writing
// between two attempts of one, would let it count twice.
const maxWrites = 32

// finding is a document of findings. Fields that more than one process writes are
// written by operators that do not mind the order.
type finding struct {
	ID          string              `bson:"_id,omitempty"` // fingerprint
	Rule        string              `bson:"rule"`
	Name        string              `bson:"name"`
	Correctness bool                `bson:"correctness"`
	Reason      string              `bson:"reason"`
	Severity    int32               `bson:"severity"` // 0 info to 4 critical
	Confidence  analysis.Confidence `bson:"confidence"`
	Database    string              `bson:"database"`
	Collection  string              `bson:"collection"`
	Command     string              `bson:"command"`
	Shape       string              `bson:"shape"`
	ShapeID     string              `bson:"shape_id"` // hexadecimal
	Fields      []string            `bson:"fields"`
	Message     string              `bson:"message"`
	Advice      string              `bson:"advice"`
	Fix         analysis.Fix        `bson:"fix"`
	Caveat      string              `bson:"caveat"`
	Evidence    []analysis.Evidence `bson:"evidence"`
	Comment     string              `bson:"comment"`
	Silenced    string              `bson:"silenced"`
	MinCount    int64               `bson:"min_count"`
	First       time.Time           `bson:"first"`
	Last        time.Time           `bson:"last"`

	Count       int64          `bson:"count"`
	Loud        int64          `bson:"loud"`
	Returned    int64          `bson:"returned_documents"`
	Bytes       int64          `bson:"returned_bytes"`
	Connections int64          `bson:"connections"`
	Latency     int64          `bson:"latency_ns"`
	Measured    int64          `bson:"measured"`
	Slowest     int64          `bson:"slowest_ns"`
	Latencies   []int64        `bson:"latencies"` // always store.LatencyBuckets
	Clients     []store.Client `bson:"clients"`
	Documents   int64          `bson:"documents"`
	MaxReply    int64          `bson:"max_reply_bytes"`

	FixedAt      time.Time `bson:"fixed_at,omitempty"`
	RegressedAt  time.Time `bson:"regressed_at,omitempty"`
	ToldAt       time.Time `bson:"told_at,omitempty"`
	ToldSeverity int32     `bson:"told_severity"`

	Updated time.Time `bson:"updated,omitempty"`
	Writes  []string  `bson:"writes"` // the last maxWrites
}

// created is the document of a finding before anything was counted.
func created(s *store.Saved) finding {
	return finding{
		ID: s.Fingerprint, Rule: s.Rule, Name: s.Name, Correctness: s.Correctness, Reason: s.Reason, Severity: int32(s.Severity),
		Confidence: s.Confidence, Database: s.Database, Collection: s.Collection, Command: s.Command, Shape: s.Shape,
		ShapeID: strconv.FormatUint(s.ShapeID, 16), Fields: orEmpty(s.Fields), Message: s.Message, Advice: s.Advice, Fix: s.Fix, Caveat: s.Caveat,
		Evidence: orEmpty(s.Evidence), Comment: s.Comment, Silenced: s.Silenced, MinCount: s.MinCount, First: s.First, Last: s.Last,
		Latencies: make([]int64, store.LatencyBuckets), Clients: []store.Client{}, Writes: []string{},
	}
}

// orEmpty is a list for BSON, which would make null of nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// saved is what a store takes.
func (f *finding) saved() store.Saved {
	shape, _ := strconv.ParseUint(f.ShapeID, 16, 64) // 0: equal to no other
	return store.Saved{
		Fingerprint: f.ID, Rule: f.Rule, Name: f.Name, Correctness: f.Correctness, Reason: f.Reason, Severity: severity(f.Severity),
		Confidence: f.Confidence, Database: f.Database, Collection: f.Collection, Command: f.Command, Shape: f.Shape, ShapeID: shape,
		Fields: f.Fields, Message: f.Message, Advice: f.Advice, Fix: f.Fix, Caveat: f.Caveat, Evidence: f.Evidence, Comment: f.Comment,
		Silenced: f.Silenced, MinCount: f.MinCount, First: f.First, Last: f.Last,
		Figures: store.Figures{
			Count: f.Count, Loud: f.Loud, Returned: f.Returned, Bytes: f.Bytes, Connections: f.Connections,
			Latency: time.Duration(f.Latency), Measured: f.Measured, Latencies: f.Latencies,
		},
		Clients: f.clients(), Documents: f.Documents, MaxReply: f.MaxReply, Slowest: time.Duration(f.Slowest),
		FixedAt: f.FixedAt, RegressedAt: f.RegressedAt, ToldAt: f.ToldAt, ToldSeverity: severity(f.ToldSeverity),
	}
}

// clients are those that have room, and the others.
func (f *finding) clients() []store.Client {
	rest, out := f.Count, f.Clients
	for _, c := range f.Clients {
		rest -= c.Count
	}
	if rest > 0 {
		out = append(out, store.Client{App: store.OtherClients, Count: rest})
	}
	return out
}

func severity(n int32) analysis.Severity {
	return analysis.Severity(min(max(n, 0), int32(analysis.Critical)))
}

// namespace is a document of namespaces.
type namespace struct {
	ID         string    `bson:"_id,omitempty"` // "shop.orders"; everything for all
	Database   string    `bson:"database"`
	Collection string    `bson:"collection"`
	Operations int64     `bson:"operations"`
	Latency    int64     `bson:"latency_ns"`
	First      time.Time `bson:"first,omitempty"` // only of everything
	Last       time.Time `bson:"last,omitempty"`
	Updated    time.Time `bson:"updated,omitempty"`
	Writes     []string  `bson:"writes"`
}

// everything is the id of the sums over all collections.
const everything = "*"

func namespaceID(n store.SavedNamespace) string {
	return op.Namespace{DB: n.Database, Coll: n.Collection}.String()
}

func (n *namespace) workload() store.Workload {
	return store.Workload{Operations: n.Operations, Latency: time.Duration(n.Latency), Last: n.Last}
}
