package wire

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// The compressors of the wire protocol.
const (
	compressorNoop   = 0
	compressorSnappy = 1
	compressorZlib   = 2
	compressorZstd   = 3
)

// compressedPrefix is the size in bytes of what precedes the compressed bytes: opcode, size, compressor.
const compressedPrefix = 4 + 4 + 1

// snappyRatio is how many bytes one compressed byte can at most become: a copy of 64 bytes takes 3. A declared size beyond that
// is a lie and not worth an allocation.
const snappyRatio = 22

// Decompress unpacks an OP_COMPRESSED into the message inside, whose Body is new and whose Length is the one the original
// had. The declared size is checked against MaxMessageSize, and memory is taken for bytes that are there or, where a format
// needs the size beforehand, for what the compressed bytes could at most hold. Bytes that unpack to more or less than was
// declared are ErrMalformed, as is a compressed message inside a compressed one. A cut message is ErrCut.
func Decompress(m Message) (Message, error) {
	if m.OpCode != OpCompressed {
		return Message{}, fmt.Errorf("not an OP_COMPRESSED: %w", ErrMalformed)
	}
	if m.Cut() {
		return Message{}, fmt.Errorf("OP_COMPRESSED: %w", ErrCut)
	}
	if len(m.Body) < compressedPrefix {
		return Message{}, fmt.Errorf("OP_COMPRESSED header: %w", ErrMalformed)
	}
	op, size, src := OpCode(i32(m.Body)), int(i32(m.Body[4:])), m.Body[compressedPrefix:]
	if op == OpCompressed {
		return Message{}, fmt.Errorf("OP_COMPRESSED inside OP_COMPRESSED: %w", ErrMalformed)
	}
	if size < 0 || size > MaxMessageSize-HeaderSize {
		return Message{}, fmt.Errorf("OP_COMPRESSED uncompressed size: %w", ErrSize)
	}
	var body []byte
	var err error
	switch m.Body[8] {
	case compressorNoop:
		body, err = unpackNoop(src, size)
	case compressorSnappy:
		body, err = unpackSnappy(src, size)
	case compressorZlib:
		body, err = unpackZlib(src, size)
	case compressorZstd:
		body, err = unpackZstd(src, size)
	default:
		err = ErrCompressor
	}
	if err != nil {
		return Message{}, fmt.Errorf("OP_COMPRESSED: %w", err)
	}
	h := m.Header
	h.OpCode, h.Length = op, int32(HeaderSize+len(body))
	return Message{Header: h, Body: body}, nil
}

// The libraries' own errors are not passed on: some quote what they read.
var (
	errSnappy      = fmt.Errorf("snappy: %w", ErrMalformed)
	errZlib        = fmt.Errorf("zlib: %w", ErrMalformed)
	errZstd        = fmt.Errorf("zstd: %w", ErrMalformed)
	errUnpacked    = fmt.Errorf("size differs from the declared one: %w", ErrMalformed)
	errImplausible = fmt.Errorf("declares more than its bytes can hold: %w", ErrMalformed)
)

func unpackNoop(src []byte, size int) ([]byte, error) {
	if len(src) != size {
		return nil, errUnpacked
	}
	return slices.Clone(src), nil
}

// unpackSnappy reads the block format, which starts with the size once more.
func unpackSnappy(src []byte, size int) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err != nil {
		return nil, errSnappy
	}
	if n != size {
		return nil, errUnpacked
	}
	if int64(size) > int64(len(src))*snappyRatio {
		return nil, errImplausible
	}
	body, err := snappy.Decode(make([]byte, size), src)
	if err != nil {
		return nil, errSnappy
	}
	return body, nil
}

// zlibUnpacker reads one input after the other: a decoder has a window of 32 KiB and tables, forty times a median message.
type zlibUnpacker struct {
	in  bytes.Reader
	out io.ReadCloser // nil until the first header was read; then also a zlib.Resetter
}

var zlibUnpackers = sync.Pool{New: func() any { return new(zlibUnpacker) }}

// open reads the header of src.
func (z *zlibUnpacker) open(src []byte) error {
	z.in.Reset(src)
	if r, ok := z.out.(zlib.Resetter); ok {
		return r.Reset(&z.in, nil)
	}
	r, err := zlib.NewReader(&z.in)
	if err == nil {
		z.out = r
	}
	return err
}

// free lets go of the input, which its message owns.
func (z *zlibUnpacker) free() {
	z.in.Reset(nil)
	zlibUnpackers.Put(z)
}

func unpackZlib(src []byte, size int) ([]byte, error) {
	z := zlibUnpackers.Get().(*zlibUnpacker)
	defer z.free()
	if z.open(src) != nil {
		return nil, errZlib
	}
	body := make([]byte, 0, startCapacity(src, size))
	for len(body) < size {
		if len(body) == cap(body) {
			body = slices.Grow(body, min(size-len(body), cap(body)))
		}
		n, err := z.out.Read(body[len(body):min(cap(body), size)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errZlib
		}
	}
	if len(body) < size {
		return nil, errUnpacked
	}
	// The end of the stream, where its checksum is verified, comes with a read of its own.
	switch n, err := io.ReadFull(z.out, make([]byte, 1)); {
	case n > 0:
		return nil, errUnpacked
	case !errors.Is(err, io.EOF):
		return nil, errZlib
	}
	return body, nil
}

// zstdDecoders holds *zstd.Decoder. One that is dropped needs no Close: it has no goroutines until it reads a stream.
var zstdDecoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil // only for options out of range
	}
	return d
}}

// zstdWindow is the largest window in bytes that is accepted: what the strongest level takes for the largest message.
const zstdWindow = 64 << 20

// unpackZstd lets the library make the buffer. Where a frame declares its size, and that is the one expected, it takes so much
// only as far as the blocks that are there could fill it (32 KiB for each byte); where a frame does not, the buffer grows as
// they do, up to size or, as the library has one limit for both, one window.
func unpackZstd(src []byte, size int) ([]byte, error) {
	var frame zstd.Header
	if frame.Decode(src) != nil || frame.Skippable || frame.WindowSize > zstdWindow {
		return nil, errZstd
	}
	if frame.HasFCS && frame.FrameContentSize != uint64(size) {
		return nil, errUnpacked
	}
	d, _ := zstdDecoders.Get().(*zstd.Decoder)
	if d == nil {
		return nil, ErrCompressor
	}
	defer zstdDecoders.Put(d)
	most := max(uint64(size), frame.WindowSize, zstd.MinWindowSize)
	if d.ResetWithOptions(nil, zstd.WithDecoderMaxMemory(most)) != nil {
		return nil, errZstd
	}
	body, err := d.DecodeAll(src, nil)
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return nil, errUnpacked
	}
	if err != nil {
		return nil, errZstd
	}
	if len(body) != size {
		return nil, errUnpacked
	}
	return body, nil
}

// startCapacity is what a buffer for size bytes starts with: enough for the usual ratios of 2 to 10, so that most messages
// are unpacked without growing, and in proportion to what has arrived.
func startCapacity(src []byte, size int) int { return min(size, 16*min(len(src), MaxMessageSize)+512) }
