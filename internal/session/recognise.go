package session

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
	"mongoadvisor/wire"
)

// sampleable tells reads and writes from all else. What cannot be read is not left
// out: whoever decodes it says what is wrong with it.
func sampleable(m *wire.Message) bool {
	if m.OpCode != wire.OpMsg || m.Flags().Has(wire.ExhaustAllowed) {
		return false
	}
	for kind, part := range sections(m) {
		if kind != 0 { // drivers that put the documents before the command
			continue
		}
		for name, v := range op.Fields(part) {
			switch name {
			case "find", "aggregate", "count", "distinct", "insert", "update", "delete", "findAndModify":
				return v.Type == bsoncore.TypeString
			case "getMore":
				return true
			}
			return false
		}
	}
	return false
}

// sections yields the sections of an OP_MSG: the kind, and what begins with its
// length, in a cut message as far as it is there.
func sections(m *wire.Message) func(yield func(kind byte, part bsoncore.Document) bool) {
	return func(yield func(kind byte, part bsoncore.Document) bool) {
		const flags, checksum, length = 4, 4, 4 // bytes
		b := m.Body
		if m.Flags().Has(wire.ChecksumPresent) && !m.Cut() {
			b = b[:max(len(b)-checksum, 0)]
		}
		b = b[min(flags, len(b)):]
		for len(b) > 1+length {
			n := int(int32(binary.LittleEndian.Uint32(b[1:])))
			if n < length+1 {
				return
			}
			n = min(n, len(b)-1)
			if !yield(b[0], b[1:1+n]) {
				return
			}
			b = b[1+n:]
		}
	}
}

// Bounds of one walk. What is beyond them is not told apart.
const (
	maxWalk    = 200 // fields
	maxDepth   = 12
	maxItems   = 16 // of an array
	maxPattern = 64 // bytes of a regular expression
)

// recogniser hashes what makes the shape of a request: which fields it has, of which
// types, and about how deep a skip and how long a list is. It decides who is counted
// together, not what is judged: it is quicker than [op.Shape], and finer.
type recogniser struct {
	seed  maphash.Seed
	h     uint64
	left  int
	signs bool // within a sort or a projection, where 1, 0 and -1 differ
}

// recognise is the hash of a request's shape. A collision would count two shapes
// together; the seed keeps others from choosing one.
func recognise(seed maphash.Seed, m *wire.Message) uint64 {
	r := recogniser{seed: seed, left: maxWalk}
	for kind, part := range sections(m) {
		if kind == 0 {
			r.command(part)
		} else {
			r.sequence(part)
		}
	}
	return r.h | 1
}

// mix takes a number in.
func (r *recogniser) mix(x uint64) {
	const odd = 0x9E3779B97F4A7C15
	r.h = (bits.RotateLeft64(r.h, 7) ^ x) * odd
}

func (r *recogniser) name(s string) { r.mix(maphash.String(r.seed, s)) }

// magnitude takes in how large a number is, about.
func (r *recogniser) magnitude(n int64) { r.mix(uint64(bits.Len64(uint64(n)))) }

// over reports that enough was looked at.
func (r *recogniser) over() bool {
	r.left--
	return r.left < 0
}

// command takes a command in. What drivers add means nothing to its shape.
func (r *recogniser) command(doc bsoncore.Document) {
	first := true
	for key, v := range op.Fields(doc) {
		if r.over() {
			return
		}
		r.name(key)
		switch key {
		case "lsid", "$clusterTime", "txnNumber", "$readPreference", "readConcern", "writeConcern", "let":
		case "$db", "collection":
			r.name(op.Str(v))
		case "comment": // it may silence a rule
			if s := op.Str(v); strings.Contains(s[:min(len(s), maxPattern)], silences) {
				r.name(s)
			}
		case "skip", "limit", "batchSize":
			n, _ := op.Int(v)
			r.magnitude(n)
		case "documents": // as in a sequence
			r.magnitude(int64(len(v.Data)))
			for item := range op.Items(op.Arr(v)) {
				r.fields(op.Doc(item))
				break
			}
		default:
			if first {
				r.name(op.Str(v)) // the collection
			}
			if !first || v.Type != bsoncore.TypeString {
				r.value(key, v, 1)
			}
		}
		first = false
	}
}

// silences begins the comments that mean something here.
const silences = "mongoadvisor:"

// sequence takes in a section of documents: of those that are inserted the first,
// and of others the first few.
func (r *recogniser) sequence(part []byte) {
	name, rest, _ := bytes.Cut(part[4:], []byte{0})
	r.mix(maphash.Bytes(r.seed, name))
	r.magnitude(int64(len(rest)))
	for len(rest) >= 5 && !r.over() {
		n := int(int32(binary.LittleEndian.Uint32(rest)))
		if n < 5 || n > len(rest) {
			return
		}
		if string(name) == "documents" {
			r.fields(rest[:n])
			return
		}
		r.document(rest[:n], 1)
		rest = rest[n:]
	}
}

// fields takes in which fields a document has, without what is in them.
func (r *recogniser) fields(doc bsoncore.Document) {
	for key, v := range op.Fields(doc) {
		if r.over() {
			return
		}
		r.name(key)
		r.mix(uint64(v.Type))
	}
}

func (r *recogniser) document(doc bsoncore.Document, depth int) {
	if depth > maxDepth {
		return
	}
	r.mix('{')
	for key, v := range op.Fields(doc) {
		if r.over() {
			return
		}
		r.name(key)
		r.value(key, v, depth)
	}
	r.mix('}')
}

// array takes in the first items, and about how long it is.
func (r *recogniser) array(arr bsoncore.Array, depth int) {
	if depth > maxDepth {
		return
	}
	r.magnitude(int64(len(arr)))
	items := 0
	for v := range op.Items(arr) {
		if items++; items > maxItems || r.over() {
			return
		}
		r.value("", v, depth)
	}
}

func (r *recogniser) value(key string, v bsoncore.Value, depth int) {
	r.mix(uint64(v.Type))
	switch v.Type {
	case bsoncore.TypeEmbeddedDocument:
		before := r.signs
		r.signs = r.signs || directed(key)
		r.document(op.Doc(v), depth+1)
		r.signs = before
	case bsoncore.TypeArray:
		r.array(op.Arr(v), depth+1)
	case bsoncore.TypeString:
		switch s := op.Str(v); {
		case strings.HasPrefix(s, "$"), key == "$options": // a field's path
			r.name(s)
		case key == "$regex":
			r.pattern(s)
		}
	case bsoncore.TypeRegex:
		pattern, options, _ := v.RegexOK()
		r.pattern(pattern)
		r.name(options)
	case bsoncore.TypeBoolean:
		r.mix(uint64(v.Data[0]))
	case bsoncore.TypeInt32, bsoncore.TypeInt64, bsoncore.TypeDouble:
		n, _ := op.Int(v)
		switch {
		case key == "$skip", key == "$limit", key == "limit": // the last one of a delete
			r.magnitude(n)
		case r.signs, key == "$slice", key == "$position":
			r.magnitude(max(-1, min(n, 1)))
		}
	}
}

// directed tells the fields whose numbers are directions or flags.
func directed(key string) bool {
	switch key {
	case "sort", "projection", "fields", "hint", "$sort", "$project":
		return true
	}
	return false
}

// pattern takes in a regular expression without its words.
func (r *recogniser) pattern(s string) {
	word := false
	for i := range min(len(s), maxPattern) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80 || c == ' '
		switch {
		case !letter:
			r.mix(uint64(c))
		case !word:
			r.mix('a')
		}
		word = letter
	}
}
