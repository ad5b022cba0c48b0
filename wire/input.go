package wire

import (
	"bytes"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// input is what a decoder has yet to read. Of a cut message less is there than was sent.
type input struct {
	b    []byte // what is there
	left int    // what was sent; never less than len(b)
}

// errNotHere says that what comes next was sent but not kept: decoders that can go on without it look for this very value.
var errNotHere = fmt.Errorf("not kept: %w", ErrCut)

// advance passes over n bytes, n <= left.
func (in *input) advance(n int) {
	in.left -= n
	in.b = in.b[min(n, len(in.b)):]
}

// missing says why there are no n bytes: cut off, or never sent.
func (in *input) missing(n int) error {
	if in.left < n {
		return ErrMalformed
	}
	if len(in.b) < n {
		return errNotHere
	}
	return nil
}

// document reads and validates one document. errNotHere means that it is not all there.
func (in *input) document() (bsoncore.Document, error) {
	if len(in.b) < 4 {
		return nil, in.missing(4)
	}
	n := int(i32(in.b))
	if n < minDocument || n > in.left {
		return nil, errDocLength
	}
	if n > len(in.b) {
		in.advance(n)
		return nil, errNotHere
	}
	doc := in.b[:n:n]
	if err := Validate(doc); err != nil {
		return nil, err
	}
	in.advance(n)
	return bsoncore.Document(doc), nil
}

// int32 reads a number; what names it in an error.
func (in *input) int32(what string) (int32, error) {
	if len(in.b) < 4 {
		return 0, fmt.Errorf("%s: %w", what, in.missing(4))
	}
	v := i32(in.b)
	in.advance(4)
	return v, nil
}

// int64 reads a number; what names it in an error.
func (in *input) int64(what string) (int64, error) {
	if len(in.b) < 8 {
		return 0, fmt.Errorf("%s: %w", what, in.missing(8))
	}
	v := i64(in.b)
	in.advance(8)
	return v, nil
}

// name reads a name of at most MaxName bytes and the NUL behind it. It aliases what it was read from.
func (in *input) name() ([]byte, error) {
	i := bytes.IndexByte(in.b[:min(len(in.b), MaxName+1)], 0)
	if i < 0 {
		if len(in.b) > MaxName || len(in.b) == in.left {
			return nil, ErrMalformed
		}
		return nil, errNotHere
	}
	name := in.b[:i]
	in.advance(i + 1)
	return name, nil
}
