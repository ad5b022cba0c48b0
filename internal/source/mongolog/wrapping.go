package mongolog

import (
	"bytes"
	"errors"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/extjson"
)

// maxPrefix is how far into a line its own text may begin, in bytes.
const maxPrefix = 512

// line reads one line that may be wrapped or be a part of something longer.
func (l *Log) line(line []byte) {
	line = bytes.TrimRight(line, "\r\n\t ")
	if len(bytes.TrimLeft(line, "\t ")) == 0 {
		return
	}
	if len(l.open) > 0 {
		if !begins(line) && len(l.open)+len(line) < maxLine {
			l.open = append(append(l.open, line...), '\n')
			if l.level += nesting(line); l.level <= 0 {
				l.objects(l.open, false) // all brackets are closed: nothing goes on
			}
			return
		}
		l.abandon()
	}
	if rest, part, ok := containerLine(line); ok {
		if part || len(l.partial) > 0 {
			l.join(rest, part)
			return
		}
		line = rest
	}
	l.plain(line)
}

// join puts a line together that a container engine has split.
func (l *Log) join(part []byte, more bool) {
	if len(l.partial)+len(part) <= maxLine {
		l.partial = append(l.partial, part...)
	}
	if more {
		return
	}
	whole := l.partial
	l.partial = nil
	l.plain(whole)
}

// abandon gives up a document that never ended.
func (l *Log) abandon() {
	if len(l.open) == 0 {
		return
	}
	if tellsOfQuery(l.open) {
		l.maker.Undecoded(BadJSON)
	} else {
		l.counts.Skipped[SkipUnrecognised]++
	}
	l.open = l.open[:0]
}

// nesting is how many brackets a line opens more than it closes. No string of a
// JSON document goes over the end of a line.
func nesting(line []byte) (n int) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			n++
		case c == '}' || c == ']':
			n--
		}
	}
	return n
}

// begins reports whether a line begins an entry, so that what came before is over:
// documents over several lines are indented.
func begins(line []byte) bool {
	if line[0] == '{' {
		return true
	}
	_, ok := textStart(line)
	return ok
}

func tellsOfQuery(line []byte) bool {
	return bytes.Contains(line, []byte("Slow query"))
}

// plain reads a line out of its container's wrapping.
func (l *Log) plain(line []byte) {
	line = bytes.TrimRight(line, "\r\n\t ")
	if len(line) == 0 {
		return // of parts that are blank
	}
	if bytes.HasPrefix(line, []byte(`{"t":{"`)) && line[len(line)-1] == '}' && !tellsOfQuery(line) && !bytes.Contains(line, []byte("51800")) {
		l.recognised++ // of no interest, and by far the most
		return
	}
	if at := jsonStart(line); at >= 0 {
		l.objects(line[at:], at == 0)
		return
	}
	if at, ok := textStart(line); ok {
		l.recognised++
		l.text(line[at:])
		return
	}
	if first := line[0]; (first == '[' || first == ']') && len(bytes.Trim(line, "[], \t")) == 0 {
		return // of an array around all
	}
	l.counts.Skipped[SkipUnrecognised]++
}

// jsonStart finds where an object begins: at the start, in an array, or behind what
// a log shipper put before it; -1 for none.
func jsonStart(line []byte) int {
	trimmed := bytes.TrimLeft(line, "[, \t")
	if at := len(line) - len(trimmed); len(trimmed) > 0 && trimmed[0] == '{' {
		if rest := bytes.TrimLeft(trimmed[1:], " \t"); len(rest) == 0 || rest[0] == '"' || rest[0] == '}' {
			return at
		}
	}
	head := line[:min(len(line), maxPrefix)]
	for _, start := range []string{`{"t":`, `{"t" :`, `{ "t"`} {
		if at := bytes.Index(head, []byte(start)); at >= 0 {
			return at
		}
	}
	return -1
}

// objects reads the objects of a line. One that does not end in it may go on in the
// next.
func (l *Log) objects(text []byte, whole bool) {
	for len(text) > 0 {
		var n int
		var err error
		l.buf, n, err = extjson.Append(l.buf[:0], text)
		if err != nil {
			l.broken(text, err, whole)
			return
		}
		l.entry(bsoncore.Document(l.buf))
		text = bytes.TrimLeft(text[n:], "], \t\r\n")
		if len(text) > 0 && text[0] != '{' {
			break
		}
	}
	l.open = l.open[:0]
}

func (l *Log) broken(text []byte, err error, whole bool) {
	var e *extjson.Error
	if whole && l.depth == 0 && errors.As(err, &e) && e.Reason == extjson.Unfinished {
		l.level = nesting(text)
		l.open = append(append(l.open[:0], text...), '\n')
		return
	}
	l.open = l.open[:0]
	if tellsOfQuery(text) {
		l.maker.Undecoded(BadJSON)
		return
	}
	l.counts.Skipped[SkipUnrecognised]++
}

// wrappers are the keys under which container engines and log shippers put a line.
var wrappers = []string{"log", "message", "MESSAGE", "textPayload"}

// entry reads an object: an entry of the log, or something around a line of it.
func (l *Log) entry(doc bsoncore.Document) {
	if op.Get(doc, "t").Type == bsoncore.TypeDateTime && op.Get(doc, "msg").Type == bsoncore.TypeString {
		l.recognised++
		l.structured(doc)
		return
	}
	if inner := op.Doc(op.Get(doc, "jsonPayload")); op.Get(inner, "t").Type == bsoncore.TypeDateTime {
		l.recognised++
		l.structured(inner)
		return
	}
	for _, key := range wrappers {
		if s := op.Str(op.Get(doc, key)); s != "" {
			l.wrapped([]byte(s), key == "log")
			return
		}
	}
	l.counts.Skipped[SkipUnrecognised]++
}

// wrapped reads the line in a wrapping. Docker splits long ones: all but the last
// part lack the end of the line.
func (l *Log) wrapped(line []byte, docker bool) {
	ended := line[len(line)-1] == '\n'
	if docker && (len(l.partial) > 0 || !ended && len(line) >= 16<<10) {
		l.join(line, !ended)
		return
	}
	if line = bytes.TrimRight(line, "\r\n\t "); len(line) == 0 {
		return
	}
	l.depth++
	if l.depth > 1 { // a wrapping in a wrapping
		l.counts.Skipped[SkipUnrecognised]++
	} else {
		l.plain(line)
	}
	l.depth--
}

// containerLine takes the prefix off that the container runtime interface puts
// before each line: "2024-01-02T03:04:05.000000000Z stdout F ".
func containerLine(line []byte) (rest []byte, partial, ok bool) {
	head := line[:min(len(line), 64)]
	at := bytes.Index(head, []byte(" std"))
	if at < 19 || head[4] != '-' {
		return line, false, false
	}
	for _, stream := range []string{" stdout ", " stderr "} {
		if tail, found := bytes.CutPrefix(line[at:], []byte(stream)); found && len(tail) > 2 && tail[1] == ' ' && (tail[0] == 'F' || tail[0] == 'P') {
			return tail[2:], tail[0] == 'P', true
		}
	}
	return line, false, false
}
