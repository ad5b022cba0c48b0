package op

import "strings"

// Has says which facts a source can supply, and Needs of a rule which it must.
type Has uint16

// The facts. Each is a property of the source, not of one operation.
const (
	HasReply     Has = 1 << iota // replies are seen
	HasLatency                   // request and reply carry times of one clock
	HasConn                      // operations are attributed to connections
	HasExec                      // keys and documents examined, the plan
	HasSnapshot                  // a live server was inspected
	HasDocuments                 // documents that are written, and those of replies
	HasEvery                     // every operation is seen, not only slow ones
)

// HasTraffic is what a source tells that sees whole connections.
const HasTraffic = HasReply | HasLatency | HasConn | HasDocuments | HasEvery

var hasNames = []string{"replies", "latency", "connections", "execution statistics", "server inspection", "documents", "every operation"}

// String lists the facts in words: "replies, latency".
func (h Has) String() string {
	var names []string
	for i, name := range hasNames {
		if h&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Missing returns the needed facts that h lacks.
func (h Has) Missing(needs Has) Has { return needs &^ h }
