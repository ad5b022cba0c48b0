package mongolog

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/source/extjson"
	"mongoadvisor/internal/source/logged"
	"mongoadvisor/internal/source/shelltext"
)

// textStart finds where a line of the text log begins: with a time, a letter for
// the severity and a component, "2019-06-18T11:58:58.382+0100 I COMMAND  [conn1] ".
func textStart(line []byte) (at int, ok bool) {
	head := line[:min(len(line), maxPrefix)]
	for at < len(head) {
		next := bytes.IndexByte(head[at:], 'T')
		if next < 0 {
			return 0, false
		}
		if start := at + next - len("2006-01-02"); start >= 0 && isTextLine(head[start:]) {
			return start, true
		}
		at += next + 1
	}
	return 0, false
}

func isTextLine(s []byte) bool {
	end := bytes.IndexByte(s, ' ')
	if end < 23 || end > 29 || len(s) < end+6 || s[end+2] != ' ' || strings.IndexByte("DIWEF", s[end+1]) < 0 {
		return false
	}
	component := bytes.TrimLeft(s[end+2:], " ")
	if len(component) == 0 || component[0] != '-' && (component[0] < 'A' || component[0] > 'Z') {
		return false
	}
	_, ok := extjson.Date(string(s[:end]))
	return ok
}

// text reads a line of the text log.
func (l *Log) text(line []byte) {
	end := bytes.IndexByte(line, ' ')
	ms, _ := extjson.Date(string(line[:end]))
	open := bytes.IndexByte(line, '[')
	if open < 0 {
		return
	}
	size := bytes.IndexByte(line[open:], ']')
	if size < 0 {
		return
	}
	component := string(bytes.Trim(line[end+2:open], " "))
	ctx, message := string(line[open+1:open+size]), bytes.TrimLeft(line[open+size+1:], " ")
	if component == "NETWORK" {
		l.metadata(time.UnixMilli(ms).UTC(), message)
		return
	}
	if component != "COMMAND" && component != "WRITE" && component != "QUERY" {
		return
	}
	if rest, ok := bytes.CutPrefix(message, []byte("warning: log line attempted")); ok {
		if _, after, found := bytes.Cut(rest, []byte("printing beginning and end ... ")); found {
			message = after
		}
	}
	kind, rest, _ := bytes.Cut(message, []byte(" "))
	switch string(kind) {
	case "command", "query", "getmore", "insert", "update", "remove":
	default:
		return
	}
	took, ok := duration(message)
	if !ok {
		return // of another message: "query not recording", …
	}
	t := textRecord{rest: rest}
	t.begin(string(kind))
	if reason := t.read(); reason != "" {
		l.maker.Undecoded(reason)
		return
	}
	r := logged.Read(t.end())
	r.End, r.Took = time.UnixMilli(ms).UTC(), took
	l.add(r, ctx)
}

// duration is what a line ends with: " 123ms".
func duration(message []byte) (time.Duration, bool) {
	word := message[bytes.LastIndexByte(message, ' ')+1:]
	digits, ok := bytes.CutSuffix(word, []byte("ms"))
	n, err := strconv.ParseUint(string(digits), 10, 40)
	return time.Duration(n) * time.Millisecond, ok && err == nil
}

// metadata reads "received client metadata from 127.0.0.1:49782 conn1: { … }".
func (l *Log) metadata(at time.Time, message []byte) {
	rest, ok := bytes.CutPrefix(message, []byte("received client metadata from "))
	if !ok {
		return
	}
	who, doc, _ := bytes.Cut(rest, []byte(": {"))
	remote, conn, _ := strings.Cut(string(who), " ")
	n, ok := connNumber(conn)
	if !ok {
		return
	}
	client, _, err := shelltext.Append(nil, append([]byte("{"), doc...))
	if err == nil {
		l.maker.Introduce(at, n, remote, client)
	}
}

// textRecord turns what stands on a line into the attributes that the JSON log
// would carry.
type textRecord struct {
	rest []byte
	attr []byte
	at   int32
	// named and failed say that the name of the client and an error were read: each is
	// searched to its end, once in a line.
	named, failed bool
}

func (t *textRecord) begin(kind string) {
	t.at, t.attr = bsoncore.AppendDocumentStart(nil)
	ns, rest, _ := bytes.Cut(t.rest, []byte(" "))
	t.rest = rest
	t.attr = bsoncore.AppendStringElement(t.attr, "type", kind)
	t.attr = bsoncore.AppendStringElement(t.attr, "ns", string(ns))
}

func (t *textRecord) end() bsoncore.Document {
	out, _ := bsoncore.AppendDocumentEnd(t.attr, t.at)
	return out
}

// read takes name after name. It gives the reason when the command is not
// understood; what else is not is passed over.
func (t *textRecord) read() (reason string) {
	if cut := bytes.Index(t.rest, []byte(" .......... ")); cut >= 0 {
		return CutDocument
	}
	for {
		t.rest = bytes.TrimLeft(t.rest, " ,")
		end := bytes.IndexAny(t.rest, ": ")
		if end < 0 {
			return ""
		}
		name := string(t.rest[:end])
		colon := t.rest[end] == ':'
		t.rest = t.rest[end+1:]
		if !colon {
			continue
		}
		switch {
		case name == "command" || name == "query" || name == "update" || name == "originatingCommand":
			if reason := t.document(name); reason != "" {
				return reason
			}
		case name == "appName" && !t.named:
			t.named = true
			t.appName()
		case name == "planSummary":
			t.plan()
		case (name == "exception" || name == "errMsg") && !t.failed:
			t.failed = true
			t.message()
		default:
			t.plainValue(name)
		}
	}
}

// document reads "find { find: … }" or "{ … }".
func (t *textRecord) document(name string) string {
	open := bytes.IndexByte(t.rest, '{')
	if open < 0 || open > 64 {
		return BadDocument
	}
	doc, n, err := shelltext.Append(nil, t.rest[open:])
	if err != nil {
		var e *shelltext.Error
		if errors.As(err, &e) && e.Reason == shelltext.Left {
			return CutDocument
		}
		return BadDocument
	}
	t.rest = t.rest[open+n:]
	if name == "update" {
		name = "updateobj"
	}
	t.attr = bsoncore.AppendDocumentElement(t.attr, name, doc)
	return ""
}

// appName reads a name whose quotes are not escaped: it ends where the next part
// begins.
func (t *textRecord) appName() {
	end := -1
	for _, next := range []string{`" command: `, `" query: `, `" originatingCommand: `, `" cursorid:`, `" planSummary: `} {
		if at := bytes.Index(t.rest, []byte(next)); at >= 0 && (end < 0 || at < end) {
			end = at
		}
	}
	open := bytes.IndexByte(t.rest, '"')
	if end < 0 || open < 0 || open >= end {
		return
	}
	t.attr = bsoncore.AppendStringElement(t.attr, "appName", string(t.rest[open+1:end]))
	t.rest = t.rest[end+1:]
}

// plan reads "IXSCAN { a: 1 }, IXSCAN { b: 1 }".
func (t *textRecord) plan() {
	start := len(t.rest)
	whole := t.rest
	for {
		t.rest = bytes.TrimLeft(t.rest, " ")
		word := 0
		for word < len(t.rest) && (t.rest[word] >= 'A' && t.rest[word] <= 'Z' || t.rest[word] == '_') {
			word++
		}
		if word == 0 {
			break
		}
		t.rest = bytes.TrimLeft(t.rest[word:], " ")
		if len(t.rest) > 0 && t.rest[0] == '{' {
			t.balanced()
		}
		if len(t.rest) == 0 || t.rest[0] != ',' {
			break
		}
		t.rest = t.rest[1:]
	}
	t.attr = bsoncore.AppendStringElement(t.attr, "planSummary", string(bytes.TrimSpace(whole[:start-len(t.rest)])))
}

// balanced passes over what stands in brackets.
func (t *textRecord) balanced() {
	depth := 0
	for i, c := range t.rest {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				t.rest = t.rest[i+1:]
				return
			}
		}
	}
	t.rest = nil
}

// message passes over the text of an error, which may carry values.
func (t *textRecord) message() {
	t.attr = bsoncore.AppendBooleanElement(t.attr, "ok", false)
	end := len(t.rest)
	for _, next := range []string{" code:", " errName:", " numYields:"} {
		if at := bytes.Index(t.rest, []byte(next)); at >= 0 && at < end {
			end = at
		}
	}
	t.rest = t.rest[end:]
}

// plainValue reads a number or a word.
func (t *textRecord) plainValue(name string) {
	if len(t.rest) > 0 && t.rest[0] == '{' {
		t.balanced()
		return
	}
	word, rest, _ := bytes.Cut(t.rest, []byte(" "))
	t.rest = rest
	switch name {
	case "code":
		name = "errCode"
	case "errName":
		t.attr = bsoncore.AppendStringElement(t.attr, name, string(word))
		return
	}
	if n, err := strconv.ParseInt(string(word), 10, 64); err == nil {
		t.attr = bsoncore.AppendInt64Element(t.attr, name, n)
	} else if string(word) == "true" {
		t.attr = bsoncore.AppendBooleanElement(t.attr, name, true)
	}
}
