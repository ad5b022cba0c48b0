package analyzers_test

import (
	"fmt"
	"regexp"
	"strconv"
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
}

// run sends one line; comments and empty lines are passed over.
func (s *shell) run(line string) {
	s.t.Helper()
	command := s.command(line)
	if command == nil {
		return
	}
	reply, err := s.db.RunCommand(s.t.Context(), command).Raw()
	if err != nil {
		s.t.Fatalf("%s\n%v", line, err)
	}
	sent, err := bson.Marshal(append(command, bson.E{Key: "$db", Value: s.db.Name()}))
	if err != nil {
		s.t.Fatal(err)
	}
	s.steps = append(s.steps, cases.Step{
		Conn: "a", Repeat: 1, Latency: time.Millisecond, Command: bsoncore.Document(sent), Reply: bsoncore.Document(reply),
	})
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
	p := &literals{text: comments.ReplaceAllString(strings.TrimSpace(line), "")}
	if strings.TrimSpace(p.text) == "" {
		return nil
	}
	command, err := p.statement()
	if err != nil {
		s.t.Fatalf("%s\n%v at %q", line, err, p.text)
	}
	return command
}

// literals parses JavaScript as far as fixes use it.
type literals struct{ text string }

func (p *literals) statement() (command bson.D, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	p.need("db")
	coll := ""
	for p.skip("."); ; {
		name := p.match(`[A-Za-z_]+`)
		if !p.skip("(") {
			coll = name
		} else if args := p.list(")"); name == "getCollection" {
			coll = args[0].(string)
		} else {
			command = call(command, coll, name, args)
		}
		if !p.skip(".") {
			break
		}
	}
	if strings.TrimSpace(p.text) != "" {
		panic("unexpected text")
	}
	return command, nil
}

// call adds one method call to the command so far.
func call(command bson.D, coll, name string, args []any) bson.D {
	arg := func(i int) bson.D {
		if i < len(args) {
			return args[i].(bson.D)
		}
		return bson.D{}
	}
	switch name {
	case "createIndex":
		name := ""
		for _, k := range arg(0) {
			name += fmt.Sprintf("_%s_%v", k.Key, k.Value)
		}
		for _, o := range arg(1) {
			name += "_" + o.Key // mongosh does not, but the plain index may be there
		}
		index := bson.D{{Key: "key", Value: arg(0)}, {Key: "name", Value: name[1:]}}
		return bson.D{{Key: "createIndexes", Value: coll}, {Key: "indexes", Value: bson.A{append(index, arg(1)...)}}}
	case "find":
		return bson.D{{Key: "find", Value: coll}, {Key: "filter", Value: arg(0)}}
	case "sort", "limit", "skip", "collation", "hint":
		return append(command, bson.E{Key: name, Value: args[0]})
	case "aggregate":
		return append(bson.D{{Key: "aggregate", Value: coll}, {Key: "pipeline", Value: args[0]}, {Key: "cursor", Value: bson.D{}}}, arg(1)...)
	case "countDocuments":
		group := bson.D{{Key: "_id", Value: 1}, {Key: "n", Value: bson.D{{Key: "$sum", Value: 1}}}}
		return call(nil, coll, "aggregate", []any{bson.A{bson.D{{Key: "$match", Value: arg(0)}}, bson.D{{Key: "$group", Value: group}}}})
	case "estimatedDocumentCount":
		return bson.D{{Key: "count", Value: coll}}
	case "updateMany":
		statement := bson.D{{Key: "q", Value: arg(0)}, {Key: "u", Value: args[1]}, {Key: "multi", Value: true}}
		return bson.D{{Key: "update", Value: coll}, {Key: "updates", Value: bson.A{statement}}}
	case "deleteMany":
		return bson.D{{Key: "delete", Value: coll}, {Key: "deletes", Value: bson.A{bson.D{{Key: "q", Value: arg(0)}, {Key: "limit", Value: 0}}}}}
	case "drop":
		return bson.D{{Key: "drop", Value: coll}}
	case "mapReduce":
		return append(bson.D{{Key: "mapReduce", Value: coll}, {Key: "map", Value: args[0]}, {Key: "reduce", Value: args[1]}}, args[2].(bson.D)...)
	}
	if command := readCall(coll, name, args); command != nil {
		return command
	}
	panic("no method " + name)
}

func (p *literals) skip(token string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.text, " \n"), token)
	if ok {
		p.text = rest
	}
	return ok
}

func (p *literals) need(token string) {
	if !p.skip(token) {
		panic("want " + token)
	}
}

// match takes what a pattern matches at the beginning, or panics.
func (p *literals) match(pattern string) string {
	p.skip("")
	p.text = strings.TrimLeft(p.text, " \n")
	found := regexp.MustCompile("^(?:" + pattern + ")").FindString(p.text)
	if found == "" {
		panic("want " + pattern)
	}
	p.text = p.text[len(found):]
	return found
}

// list reads values up to a closing token.
func (p *literals) list(end string) []any {
	var out []any
	for !p.skip(end) {
		out = append(out, p.value())
		p.skip(",")
	}
	return out
}

func (p *literals) value() any {
	switch text := strings.TrimLeft(p.text, " \n"); {
	case p.skip("{"):
		doc := bson.D{}
		for !p.skip("}") {
			key := p.match(`"(?:[^"\\]|\\.)*"|[A-Za-z_$][\w$]*`)
			if name, err := strconv.Unquote(key); err == nil {
				key = name
			}
			p.need(":")
			doc = append(doc, bson.E{Key: key, Value: p.value()})
			p.skip(",")
		}
		return doc
	case p.skip("["):
		return append(bson.A{}, p.list("]")...)
	case p.skip("ISODate("):
		return date(p.list(")")[0].(string))
	case strings.HasPrefix(text, "/"):
		literal := p.match(`/(?:[^/\\]|\\.)+/[a-z]*`)
		end := strings.LastIndexByte(literal, '/')
		return bson.Regex{Pattern: literal[1:end], Options: literal[end+1:]}
	case strings.HasPrefix(text, `"`):
		s, err := strconv.Unquote(p.match(`"(?:[^"\\]|\\.)*"`))
		if err != nil {
			panic(err)
		}
		return s
	}
	switch word := p.match(`true|false|null|-?\d+`); word {
	case "true", "false":
		return word == "true"
	case "null":
		return nil
	default:
		n, err := strconv.Atoi(word)
		if err != nil {
			panic(err)
		}
		return int32(n)
	}
}

func date(s string) bson.DateTime {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return bson.NewDateTimeFromTime(at)
}
