package wire

import "errors"

// What a decoder can trip over. They come wrapped in a few words of where; those words never contain bytes of the message,
// so they may be logged.
var (
	// ErrCut: the message is longer than what was kept of it, and the part asked for is missing.
	ErrCut = errors.New("message cut at the capture limit")
	// ErrMalformed: the bytes are not what the protocol or BSON say they must be.
	ErrMalformed = errors.New("malformed")
	// ErrDepth: documents nest deeper than MaxDepth.
	ErrDepth = errors.New("nested too deeply")
	// ErrElements: more elements than MaxElements or documents than MaxDocuments.
	ErrElements = errors.New("too many elements")
	// ErrCompressor: compressed by something this package does not know.
	ErrCompressor = errors.New("unknown compressor")
	// ErrSize: a declared size beyond what a message can have.
	ErrSize = errors.New("impossible size")
	// ErrSection: an OP_MSG section of an unknown kind, whose length is therefore unknown too.
	ErrSection = errors.New("unknown section kind")
)

// Reason names an error for a metric. The set of names is closed.
func Reason(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			return r.label
		}
	}
	return labelOther
}

var reasons = [...]struct {
	err   error
	label string
}{
	{ErrCut, "cut"},
	{ErrMalformed, "malformed"},
	{ErrDepth, "depth"},
	{ErrElements, "elements"},
	{ErrCompressor, "compressor"},
	{ErrSize, "size"},
	{ErrSection, "section"},
}
