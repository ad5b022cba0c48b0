package wire

import (
	"bytes"
	"math"
)

// ends are the two ends of a body, addressed by offset in the body as it was sent.
type ends struct {
	head, tail []byte
	from       int // offset of tail, which may begin inside head
	size       int // of the body as it was sent
}

// newEnds aliases the message, with one exception: where nothing is missing between the two ends, tail is a copy that begins
// TailSize before the seam, so that what lies across it can be read in one piece.
func newEnds(m Message) ends {
	v := ends{head: m.Body, size: m.size()}
	n := min(len(m.Tail), v.size-len(m.Body))
	v.from, v.tail = v.size-n, m.Tail[len(m.Tail)-n:]
	if back := min(TailSize, len(m.Body)); n > 0 && v.from == len(m.Body) {
		v.from -= back
		v.tail = append(m.Body[v.from:len(m.Body):len(m.Body)], v.tail...)
	}
	return v
}

// rest returns what is there at off and behind it, in one piece.
func (v ends) rest(off int) []byte {
	switch {
	case off < 0 || off >= v.size:
		return nil
	case off >= v.from:
		return v.tail[off-v.from:]
	case off < len(v.head):
		return v.head[off:]
	default:
		return nil
	}
}

// at returns the n bytes at off. errNotHere means that they were not kept in one piece.
func (v ends) at(off, n int) ([]byte, error) {
	if off+n > v.size {
		return nil, ErrMalformed
	}
	b := v.rest(off)
	if len(b) < n {
		return nil, errNotHere
	}
	return b[:n], nil
}

// span is where the elements of a document lie: the terminator is at end.
type span struct{ start, end int }

// document finds the document at off, which must end by limit. Its terminator need not be there.
func (v ends) document(off, limit int) (span, error) {
	b, err := v.at(off, 4)
	if err != nil {
		return span{}, err
	}
	n := int(i32(b))
	if n < minDocument || n > limit-off {
		return span{}, errDocLength
	}
	return span{off + 4, off + n - 1}, nil
}

// element is one field by offset: its value lies in [value, end), of which nothing need be there.
type element struct {
	kind       byte
	key        []byte
	value, end int
}

func (e element) is(key string, kinds ...byte) bool {
	return string(e.key) == key && bytes.IndexByte(kinds, e.kind) >= 0
}

// walk calls f for the elements of s, most of them, stepping over values by their lengths. It ends at the first error, at the
// end of s, or with errNotHere where neither end holds the next element.
func (v ends) walk(s span, most int, f func(element) error) error {
	for off := s.start; off < s.end; most-- {
		if most == 0 {
			return errTooMany
		}
		e, err := v.element(off, s.end)
		if err != nil {
			return err
		}
		if err := f(e); err != nil {
			return err
		}
		off = e.end
	}
	return nil
}

// element finds the element at off, which must end by limit.
func (v ends) element(off, limit int) (element, error) {
	b := v.rest(off)
	b = b[:min(len(b), limit-off)]
	if len(b) == 0 {
		return element{}, errNotHere
	}
	e := element{kind: b[0]}
	i := bytes.IndexByte(b[1:min(len(b), MaxName+2)], 0)
	if i < 0 {
		if len(b) == limit-off || len(b) > MaxName+1 {
			return element{}, errKey
		}
		return element{}, errNotHere
	}
	e.key, e.value = b[1:1+i], off+1+i+1
	n, err := valueSize(e.kind, b[1+i+1:], limit-e.value)
	if err != nil {
		return element{}, err
	}
	e.end = e.value + n
	return e, nil
}

// valueSize is the size of a value of which b is there, perhaps not all, and which must not be longer than limit.
func valueSize(kind byte, b []byte, limit int) (int, error) {
	n := int(fixedSize[kind])
	switch {
	case n == unknown:
		return 0, errType
	case n < variable:
	case kind == typeBool:
		n = 1
	case kind == typeRegex:
		var err error
		if n, err = regexSize(b); err != nil {
			if len(b) < limit {
				return 0, errNotHere
			}
			return 0, err
		}
	default: // the others start with a length
		if limit < 4 {
			return 0, errValue
		}
		if len(b) < 4 {
			return 0, errNotHere
		}
		n = int(i32(b))
		if n < 0 || n > limit {
			return 0, errValue
		}
		switch kind {
		case typeString, typeCode, typeSymbol:
			n += 4
		case typeBinary:
			n += 4 + 1
		case typeDBPointer:
			n += 4 + 12
		}
	}
	if n > limit {
		return 0, errValue
	}
	return n, nil
}

// integer reads an integer, or a boolean as 0 or 1.
func (v ends) integer(e element) (int64, error) {
	b, err := v.at(e.value, e.end-e.value)
	if err != nil {
		return 0, err
	}
	switch e.kind {
	case typeInt64:
		return i64(b), nil
	case typeInt32:
		return int64(i32(b)), nil
	case typeBool:
		return int64(b[0]), nil
	}
	return 0, errType
}

// number reads any of BSON's binary numbers, or a boolean as 0 or 1.
func (v ends) number(e element) (float64, error) {
	if e.kind != typeDouble {
		n, err := v.integer(e)
		return float64(n), err
	}
	b, err := v.at(e.value, 8)
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(uint64(i64(b))), nil
}

// string reads a string of at most MaxName bytes; a longer one is none of the names looked for here and reads as "".
func (v ends) string(e element) (string, error) {
	n := e.end - e.value - 5 // the length before it, the NUL behind it
	if n < 0 {
		return "", errString
	}
	if n > MaxName {
		return "", nil
	}
	b, err := v.at(e.value+4, n)
	return string(b), err
}
