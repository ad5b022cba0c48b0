package mongolog

import (
	"strconv"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/logged"
)

// Numbers of log messages, which stay the same over versions.
const (
	idClientMetadata = 51800
	idSlowQuery      = 51803
)

// structured reads an entry of the JSON log.
func (l *Log) structured(doc bsoncore.Document) {
	var id int64
	var msg, ctx string
	var attr, truncated bsoncore.Document
	var at bsoncore.Value
	for k, v := range op.Fields(doc) {
		switch k {
		case "t":
			at = v
		case "id":
			id, _ = op.Int(v)
		case "msg":
			msg = op.Str(v)
		case "ctx":
			ctx = op.Str(v)
		case "attr":
			attr = op.Doc(v)
		case "truncated":
			truncated = op.Doc(v)
		}
	}
	switch {
	case attr == nil:
	case id == idClientMetadata:
		client := op.Str(op.Get(attr, "client"))
		if client == "" {
			client = ctx
		}
		if n, ok := connNumber(client); ok {
			l.maker.Introduce(at.Time().UTC(), n, op.Str(op.Get(attr, "remote")), op.Doc(op.Get(attr, "doc")))
		}
	case id == idSlowQuery || msg == "Slow query":
		r := logged.Read(attr)
		r.End = at.Time().UTC()
		r.Truncated = op.Get(truncated, "command").Type != 0 || op.Get(truncated, "originatingCommand").Type != 0
		l.add(r, ctx)
	}
}

// add completes a record by who it is about.
func (l *Log) add(r logged.Record, ctx string) {
	n, ok := connNumber(ctx)
	r.Conn = n
	r.Server = r.Server || !ok
	l.maker.Add(r)
}

// connNumber reads "conn133", which names a client's connection; other threads of
// the server have names of their own.
func connNumber(ctx string) (uint64, bool) {
	digits, ok := strings.CutPrefix(ctx, "conn")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	return n, err == nil && n > 0
}
