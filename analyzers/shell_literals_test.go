package analyzers_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

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
			command = (&shellCall{coll: coll, args: args}).add(command, name)
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
			if p.skip("...") {
				doc = append(doc, p.value().(bson.D)...)
				p.skip(",")
				continue
			}
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
	case constructors.MatchString(text):
		return p.construct()
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

var constructors = regexp.MustCompile(`^(?:ObjectId|Number|String|ISODate|new Date)\(`)

// construct makes a value that is written as a call.
func (p *literals) construct() any {
	name := p.match(`ObjectId|Number|String|ISODate|new Date`)
	p.need("(")
	args := p.list(")")
	switch {
	case name == "ObjectId":
		id, err := bson.ObjectIDFromHex(args[0].(string))
		if err != nil {
			panic(err)
		}
		return id
	case name == "Number":
		n, err := strconv.ParseFloat(args[0].(string), 64)
		if err != nil {
			panic(err)
		}
		return n
	case name == "String":
		return strconv.Itoa(int(args[0].(int32)))
	case len(args) == 0:
		return date("2026-01-01T00:00:00Z") // now, whenever the test runs
	}
	return date(args[0].(string))
}

func date(s string) bson.DateTime {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return bson.NewDateTimeFromTime(at)
}
