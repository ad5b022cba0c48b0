package analyzers_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/analysis/cases"
)

// shell runs the mongosh lines that fixes are made of, and keeps what they sent
// and what the server said as the steps of a case.
type shell struct {
	t     *testing.T
	db    *mongo.Database
	steps []cases.Step
	fails bool          // errors of the server are replies like others
	every time.Duration // between two lines, by the steps' clock
}

// run sends one line; comments and empty lines are passed over.
func (s *shell) run(line string) {
	s.t.Helper()
	command := s.command(line)
	if command == nil {
		return
	}
	reply := s.send(line, command)
	if strings.HasSuffix(strings.TrimSpace(line), drain) {
		s.rest(line, command, reply)
	}
}

// send sends one command and keeps it with its reply.
func (s *shell) send(line string, command bson.D) bson.Raw {
	s.t.Helper()
	reply, err := s.db.RunCommand(s.t.Context(), command).Raw()
	if failed := failedReply(err); s.fails && failed != nil {
		reply, err = failed, nil
	}
	if err != nil {
		s.t.Fatalf("%s\n%v", line, err)
	}
	sent, err := bson.Marshal(append(command, bson.E{Key: "$db", Value: s.db.Name()}))
	if err != nil {
		s.t.Fatal(err)
	}
	s.steps = append(s.steps, cases.Step{
		Conn: "a", Repeat: 1, After: s.every, Latency: time.Millisecond, Command: bsoncore.Document(sent), Reply: bsoncore.Document(reply),
	})
	return reply
}

// examined is the number of keys and documents a line looks at.
func (s *shell) examined(line string) int64 {
	s.t.Helper()
	explain := bson.D{{Key: "explain", Value: s.command(line)}, {Key: "verbosity", Value: "executionStats"}}
	raw, err := s.db.RunCommand(s.t.Context(), explain).Raw()
	if err != nil {
		s.t.Fatalf("explain of %s\n%v", line, err)
	}
	for _, at := range [][]string{{"executionStats"}, {"stages", "0", "$cursor", "executionStats"}} {
		if v, err := raw.LookupErr(at...); err == nil {
			return v.Document().Lookup("totalKeysExamined").AsInt64() + v.Document().Lookup("totalDocsExamined").AsInt64()
		}
	}
	s.t.Fatalf("explain of %s has no statistics: %s", line, raw)
	return 0
}

var comments = regexp.MustCompile(`(?:^|\s+)//.*$`)

// command turns a line into what mongosh would send.
func (s *shell) command(line string) bson.D {
	s.t.Helper()
	p := &literals{text: comments.ReplaceAllString(strings.TrimSuffix(strings.TrimSpace(line), drain), "")}
	if strings.TrimSpace(p.text) == "" {
		return nil
	}
	command, err := p.statement()
	if err != nil {
		s.t.Fatalf("%s\n%v at %q", line, err, p.text)
	}
	return command
}

// drain ends a line whose cursor is read to its end.
const drain = ".toArray()"

// rest reads the batches behind the first, of the size that the line asks for.
func (s *shell) rest(line string, command bson.D, reply bson.Raw) {
	s.t.Helper()
	for {
		id, ok := reply.Lookup("cursor", "id").AsInt64OK()
		if !ok || id == 0 {
			return
		}
		next := bson.D{{Key: "getMore", Value: id}, {Key: "collection", Value: command[0].Value}}
		for _, e := range command {
			if e.Key == "batchSize" {
				next = append(next, e)
			}
		}
		reply = s.send(line, next)
	}
}

// failedReply is what the server said when it said that something failed.
func failedReply(err error) bson.Raw {
	var command mongo.CommandError
	var write mongo.WriteException
	switch {
	case errors.As(err, &command):
		return command.Raw
	case errors.As(err, &write):
		return write.Raw
	}
	return nil
}
