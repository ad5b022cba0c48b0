package wire

import "fmt"

const (
	// MaxDepth is how many documents and arrays may lie inside each other within a document, which is not counted itself. It
	// is mongod's own limit: 6.0.5 takes a command with 200 and refuses one with 201. Below it the recursive readers of BSON
	// libraries are safe to call; without it a message of 16 MB nests two million deep and ends the process in a stack
	// overflow that recover cannot catch.
	MaxDepth = 200

	// MaxElements is how many elements one document may hold, those of nested documents included. Real elements take 10 to
	// 30 bytes, so that it is seldom met below 16 MB; the shortest takes two, and a decompressed message could hold 24
	// million. The default limit of a Framer leaves room for 131,072. A million take Validate four milliseconds.
	MaxElements = 1_000_000
)

// minDocument is the size in bytes of the empty document: a length and a terminator.
const minDocument = 5

// The BSON types, deprecated ones included. https://bsonspec.org/spec.html
const (
	typeDouble     = 0x01
	typeString     = 0x02
	typeDocument   = 0x03
	typeArray      = 0x04
	typeBinary     = 0x05
	typeUndefined  = 0x06
	typeObjectID   = 0x07
	typeBool       = 0x08
	typeDate       = 0x09
	typeNull       = 0x0A
	typeRegex      = 0x0B
	typeDBPointer  = 0x0C
	typeCode       = 0x0D
	typeSymbol     = 0x0E
	typeCodeScope  = 0x0F
	typeInt32      = 0x10
	typeTimestamp  = 0x11
	typeInt64      = 0x12
	typeDecimal128 = 0x13
	typeMaxKey     = 0x7F
	typeMinKey     = 0xFF
)

const (
	variable = 0xFE // in fixedSize: the value says its own size
	unknown  = 0xFF // in fixedSize: no such type
)

// fixedSize is the size in bytes of the value of each type.
var fixedSize = func() (t [256]uint8) {
	for i := range t {
		t[i] = unknown
	}
	for _, v := range []int{typeString, typeDocument, typeArray, typeBinary, typeBool, typeRegex, typeDBPointer, typeCode, typeSymbol, typeCodeScope} {
		t[v] = variable
	}
	for _, v := range []int{typeUndefined, typeNull, typeMinKey, typeMaxKey} {
		t[v] = 0
	}
	for _, v := range []int{typeDouble, typeDate, typeTimestamp, typeInt64} {
		t[v] = 8
	}
	t[typeInt32], t[typeObjectID], t[typeDecimal128] = 4, 12, 16
	return t
}()

// What Validate finds, made once: a stream of bad documents costs no allocations.
var (
	errDocLength  = fmt.Errorf("document length: %w", ErrMalformed)
	errDocEnd     = fmt.Errorf("document terminator: %w", ErrMalformed)
	errKey        = fmt.Errorf("element name without end: %w", ErrMalformed)
	errType       = fmt.Errorf("unknown element type: %w", ErrMalformed)
	errValue      = fmt.Errorf("value longer than its document: %w", ErrMalformed)
	errString     = fmt.Errorf("string length: %w", ErrMalformed)
	errStringEnd  = fmt.Errorf("string terminator: %w", ErrMalformed)
	errBool       = fmt.Errorf("boolean neither 0 nor 1: %w", ErrMalformed)
	errBinary     = fmt.Errorf("binary length: %w", ErrMalformed)
	errRegex      = fmt.Errorf("regular expression without end: %w", ErrMalformed)
	errCodeScope  = fmt.Errorf("code with scope length: %w", ErrMalformed)
	errTooDeep    = fmt.Errorf("document: %w", ErrDepth)
	errTooMany    = fmt.Errorf("document: %w", ErrElements)
	errNotAllRead = fmt.Errorf("document shorter than its bytes: %w", ErrMalformed)
)

// Validate checks doc, which must be exactly one BSON document, down to its last value: whatever it accepts can be walked by
// any reader of BSON without a bound being missed. It does not look at whether strings are UTF-8 or arrays are numbered;
// servers do not either. It allocates nothing, does not recurse, and looks at each byte at most once.
func Validate(doc []byte) error {
	if len(doc) < minDocument {
		return errDocLength
	}
	if n := int(i32(doc)); n != len(doc) {
		if n >= minDocument && n < len(doc) {
			return errNotAllRead
		}
		return errDocLength
	}
	if doc[len(doc)-1] != 0 {
		return errDocEnd
	}
	var (
		ends  [MaxDepth + 1]int // where the terminators of the open documents lie, outermost first
		depth int               // of the innermost
		end   = len(doc) - 1
		pos   = 4
		left  = MaxElements
	)
	ends[0] = end
	// pos <= end, and doc[end] is 0: a scan for a NUL that starts inside the innermost document stops inside it.
	for {
		t := doc[pos]
		if t == 0 {
			if pos != end {
				return errDocEnd
			}
			if depth == 0 {
				return nil
			}
			depth--
			end = ends[depth]
			pos++ // an inner document was checked to end before its parent's terminator
			continue
		}
		if left--; left < 0 {
			return errTooMany
		}
		for pos++; pos < end && doc[pos] != 0; pos++ {
		}
		if pos >= end {
			return errKey
		}
		pos++ // the value; it has end-pos bytes, perhaps none
		if n := int(fixedSize[t]); n < variable {
			if n > end-pos {
				return errValue
			}
			pos += n
			continue
		}
		var n int // size of the value
		var err error
		switch t {
		case typeDocument, typeArray:
			if n, err = documentSize(doc[pos:end]); err != nil {
				return err
			}
			if depth++; depth > MaxDepth {
				return errTooDeep
			}
			end = pos + n - 1
			ends[depth] = end
			pos += 4
			continue
		case typeCodeScope:
			var scope int
			if scope, n, err = codeScope(doc[pos:end]); err != nil {
				return err
			}
			if depth++; depth > MaxDepth {
				return errTooDeep
			}
			end = pos + n - 1
			ends[depth] = end
			pos += scope + 4
			continue
		case typeString, typeCode, typeSymbol:
			n, err = stringSize(doc[pos:end])
		case typeBinary:
			n, err = binarySize(doc[pos:end])
		case typeBool:
			n, err = boolSize(doc[pos:end])
		case typeRegex:
			n, err = regexSize(doc[pos:end])
		case typeDBPointer:
			if n, err = stringSize(doc[pos:end]); err == nil && n+12 > end-pos {
				err = errValue
			}
			n += 12
		default:
			err = errType
		}
		if err != nil {
			return err
		}
		pos += n
	}
}

// documentSize is the size of the document or array b starts with; its last byte has been checked to be a terminator.
func documentSize(b []byte) (int, error) {
	if len(b) < minDocument {
		return 0, errValue
	}
	n := int(i32(b))
	if n < minDocument || n > len(b) {
		return 0, errDocLength
	}
	if b[n-1] != 0 {
		return 0, errDocEnd
	}
	return n, nil
}

// stringSize is the size of the string b starts with, its length and terminator included.
func stringSize(b []byte) (int, error) {
	if len(b) < 5 {
		return 0, errValue
	}
	n := int(i32(b))
	if n < 1 || n > len(b)-4 {
		return 0, errString
	}
	if b[4+n-1] != 0 {
		return 0, errStringEnd
	}
	return 4 + n, nil
}

// binarySize is the size of the binary value b starts with. The old subtype 2 repeats the length inside.
func binarySize(b []byte) (int, error) {
	if len(b) < 5 {
		return 0, errValue
	}
	n := int(i32(b))
	if n < 0 || n > len(b)-5 {
		return 0, errBinary
	}
	if b[4] == 2 && (n < 4 || int(i32(b[5:])) != n-4) {
		return 0, errBinary
	}
	return 5 + n, nil
}

func boolSize(b []byte) (int, error) {
	if len(b) < 1 {
		return 0, errValue
	}
	if b[0] > 1 {
		return 0, errBool
	}
	return 1, nil
}

// regexSize is the size of the pattern and the options b starts with, each ended by a NUL.
func regexSize(b []byte) (int, error) {
	for i, nuls := 0, 0; i < len(b); i++ {
		if b[i] == 0 {
			if nuls++; nuls == 2 {
				return i + 1, nil
			}
		}
	}
	return 0, errRegex
}

// codeScope finds where in b the scope of a code with scope starts and how long the whole value is: a length, a string and a
// document that together are that long. The scope's last byte has been checked to be a terminator.
func codeScope(b []byte) (scope, size int, err error) {
	if len(b) < 4+5+minDocument {
		return 0, 0, errValue
	}
	size = int(i32(b))
	if size < 4+5+minDocument || size > len(b) {
		return 0, 0, errCodeScope
	}
	n, err := stringSize(b[4:size])
	if err != nil {
		return 0, 0, err
	}
	scope = 4 + n
	if n, err = documentSize(b[scope:size]); err != nil {
		return 0, 0, err
	}
	if n != size-scope {
		return 0, 0, errCodeScope
	}
	return scope, size, nil
}
