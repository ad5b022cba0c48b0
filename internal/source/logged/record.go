package logged

import (
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// Record is what the server says of one operation. Its documents alias what it was
// read from: Add copies what it keeps.
type Record struct {
	End    time.Time
	Took   time.Duration
	Kind   string // "command", "query", "getmore", "insert", "update", "remove", "none"
	NS     string
	Conn   uint64 // the server's number of the connection; 0 when it does not say
	Remote string
	App    string
	Server bool // of the server itself: an index build, replication
	// Command is what was sent, or one statement of it; nil when it is not said.
	Command bsoncore.Document
	// Update is that of a statement before 3.6, which stood beside its filter.
	Update    bsoncore.Value
	Legacy    bool // Command is the filter of a request before 3.2, and a whole request
	Original  bsoncore.Document
	Views     bsoncore.Value
	Truncated bool

	Plan                                           string
	Sorted                                         bool
	Keys, Docs                                     int64
	Returned                                       int64 // -1 when it is not said
	Matched, Modified, Upserted, Deleted, Inserted int64
	Cursor                                         int64
	Exhausted                                      bool
	Bytes                                          int64
	Failed                                         bool
	Code                                           int32
	CodeName                                       string
	limit, skip                                    int64 // of a request before 3.2
}

// maxTook is the longest an operation can have taken, in milliseconds: thirty days.
// What says more is wrong, and sums of it would overflow.
const maxTook = 30 * 24 * 3600 * 1000

// Read takes a record from the attributes of a log line, or from a document of
// system.profile. What stands there for people or for other programs (locks, flow
// control, the user) is not looked at.
func Read(doc bsoncore.Document) Record {
	r := Record{Returned: -1}
	var statement bool
	for k, v := range op.Fields(doc) {
		switch k {
		case "type", "op":
			r.Kind = op.Str(v)
		case "ns":
			r.NS = op.Str(v)
		case "appName":
			r.App = op.Str(v)
		case "remote", "client":
			r.Remote = op.Str(v)
		case "isFromUserConnection":
			r.Server = r.Server || v.Type == bsoncore.TypeBoolean && !op.True(v)
		case "command":
			r.Command, statement = op.Doc(v), true
		case "query":
			if r.Command == nil {
				r.Command = op.Doc(v)
			}
		case "updateobj":
			r.Update = v
		case "originatingCommand":
			r.Original = op.Doc(v)
		case "resolvedViews":
			r.Views = v
		case "ts":
			if v.Type == bsoncore.TypeDateTime {
				r.End = v.Time().UTC()
			}
		case "planSummary":
			r.Plan = stages(op.Str(v))
		case "errName":
			r.CodeName, r.Failed = letters(op.Str(v)), true
		case "ok":
			r.Failed = r.Failed || !op.True(v)
		case "hasSortStage", "scanAndOrder":
			r.Sorted = op.True(v)
		case "cursorExhausted":
			r.Exhausted = op.True(v)
		default:
			r.count(k, v)
		}
	}
	r.Legacy = !statement && r.Command != nil && (r.Kind == "query" || r.Kind == "getmore" || r.Kind == "insert" || r.Kind == "update" || r.Kind == "remove") &&
		!known(op.FirstKey(r.Command), r.Kind)
	return r
}

// count reads what is a number.
func (r *Record) count(name string, v bsoncore.Value) {
	n, ok := op.Int(v)
	if !ok {
		return
	}
	switch name {
	case "durationMillis", "millis":
		if n >= 0 && n <= maxTook {
			r.Took = time.Duration(n) * time.Millisecond
		}
	case "keysExamined", "nscanned":
		r.Keys = n
	case "docsExamined", "nscannedObjects":
		r.Docs = n
	case "nreturned":
		r.Returned = n
	case "nMatched":
		r.Matched = n
	case "nModified":
		r.Modified = n
	case "nUpserted", "upsert":
		r.Upserted = n
	case "ndeleted":
		r.Deleted = n
	case "ninserted":
		r.Inserted = n
	case "cursorid":
		r.Cursor = n
	case "reslen", "responseLength":
		r.Bytes = n
	case "errCode", "exceptionCode":
		r.Code, r.Failed = int32(n), true
	case "ntoreturn":
		r.limit = max(n, -n)
	case "ntoskip":
		r.skip = n
	}
}

// known reports whether a document is a command and not a filter: before 3.6 the
// profiler had both under one name.
func known(first, kind string) bool {
	name, k := op.Command(first)
	if name == op.OtherCommand || k == op.KindOther {
		return false
	}
	switch kind {
	case "query":
		return k == op.KindRead
	case "getmore":
		return name == "getMore"
	case "insert":
		return name == "insert"
	}
	return false
}

// stages are the names in a plan's summary: it also carries the fields of the
// indexes.
func stages(plan string) string {
	var b strings.Builder
	depth := 0
	for i := range len(plan) {
		switch c := plan[i]; {
		case c == '{':
			depth++
		case c == '}':
			depth--
		case depth == 0 && (c >= 'A' && c <= 'Z' || c == '_' || c == ',' || c >= '0' && c <= '9'):
			if b.Len() < 200 {
				b.WriteByte(c)
			}
		}
	}
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == ',' }), ", ")
}

// letters keeps the name of an error; a text can carry values.
func letters(s string) string {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			return ""
		}
	}
	if len(s) > 64 {
		return ""
	}
	return strings.Clone(s)
}
