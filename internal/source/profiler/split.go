package profiler

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// maxDocument is the longest document that is read, in bytes, of BSON or of text.
const maxDocument = 48 << 20

// eachObject calls object with the text of each object of a stream, whether they
// stand in lines or in an array. One that never ends is given up where a line
// begins another.
func eachObject(in *bufio.Reader, object func([]byte), broken func(string, int)) error {
	var s splitter
	for {
		part, err := in.ReadSlice('\n')
		s.line(part, object, broken)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			s.abandon(broken)
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		s.begun = false
	}
}

// splitter finds where objects begin and end.
type splitter struct {
	text            []byte
	size            int // of the object, also when it is too large to be kept
	depth           int
	quoted, escaped bool
	begun           bool // something of the line was seen
}

func (s *splitter) line(part []byte, object func([]byte), broken func(string, int)) {
	if s.depth > 0 && !s.begun && len(part) > 0 && part[0] == '{' {
		s.abandon(broken)
	}
	s.begun = true
	start := 0 // of what belongs to the object
	for i, c := range part {
		switch {
		case s.escaped:
			s.escaped = false
		case s.quoted:
			s.escaped = c == '\\'
			s.quoted = c != '"'
		case c == '"':
			s.quoted = s.depth > 0
		case c == '{':
			if s.depth == 0 {
				start = i
			}
			s.depth++
		case c == '}' && s.depth > 0:
			if s.depth--; s.depth == 0 {
				s.keep(part[start : i+1])
				s.finish(object, broken)
			}
		}
	}
	if s.depth > 0 {
		s.keep(part[start:])
	}
}

func (s *splitter) keep(part []byte) {
	if s.size += len(part); s.size <= maxDocument {
		s.text = append(s.text, part...)
	}
}

func (s *splitter) finish(object func([]byte), broken func(string, int)) {
	if s.size > maxDocument {
		broken(TooLarge, s.size)
	} else {
		object(s.text)
	}
	s.text, s.size = s.text[:0], 0
}

func (s *splitter) abandon(broken func(string, int)) {
	if s.depth > 0 {
		broken(BadJSON, s.size)
	}
	s.text, s.size, s.depth, s.quoted, s.escaped = s.text[:0], 0, 0, false, false
}

// eachBSON calls document with each of a dump. Behind a length that cannot be, and
// in a file that was cut, nothing more can be found.
func eachBSON(in io.Reader, document func([]byte), broken func(string, int)) error {
	var buf []byte
	var head [4]byte
	for n := 1; ; n++ {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("document %d: %w", n, err)
		}
		size := int(binary.LittleEndian.Uint32(head[:]))
		if size < 5 || size > maxDocument {
			broken(BadBSON, 4)
			return fmt.Errorf("document %d: its length is none", n)
		}
		if cap(buf) < size { // as it comes, and not on the say-so of four bytes
			buf = make([]byte, 0, min(size, 1<<20))
		}
		buf = append(buf[:0], head[:]...)
		for len(buf) < size {
			at, step := len(buf), min(size-len(buf), 1<<20)
			buf = append(buf, make([]byte, step)...)
			if _, err := io.ReadFull(in, buf[at:]); err != nil {
				broken(BadBSON, at)
				return fmt.Errorf("document %d: %w", n, err)
			}
		}
		document(buf)
	}
}

// maxDepth is how deeply documents are nested at most; the server takes 200.
const maxDepth = 200

// valid reports whether a document and all in it is well formed: op relies on it.
func valid(doc []byte, depth int) bool {
	if depth > maxDepth || len(doc) < 5 || doc[len(doc)-1] != 0 || int(binary.LittleEndian.Uint32(doc)) != len(doc) {
		return false
	}
	rest := doc[4 : len(doc)-1]
	for len(rest) > 0 {
		e, after, ok := bsoncore.ReadElement(rest)
		if !ok || e.Validate() != nil {
			return false
		}
		v := e.Value()
		switch v.Type {
		case bsoncore.TypeEmbeddedDocument, bsoncore.TypeArray:
			if !valid(v.Data, depth+1) {
				return false
			}
		case bsoncore.TypeCodeWithScope:
			return false // nobody writes it any more
		}
		rest = after
	}
	return true
}
