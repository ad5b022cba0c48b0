package wire

import (
	"errors"
	"fmt"
	"testing"
)

// Metric labels come from closed sets, whatever the wire says.
func TestLabels(t *testing.T) {
	labels := map[string]bool{}
	for op := OpCode(-1); op < 3000; op++ {
		labels[op.Label()] = true
	}
	if len(labels) != 12 || !labels["OP_MSG"] || !labels["other"] {
		t.Errorf("opcode labels %v", labels)
	}
	if OpMsg.String() != "OP_MSG" || OpCode(-5).String() != "opcode -5" {
		t.Errorf("%v, %v", OpMsg, OpCode(-5))
	}
	for err, want := range map[error]string{
		ErrCut: "cut", ErrMalformed: "malformed", ErrDepth: "depth", ErrElements: "elements", ErrCompressor: "compressor",
		ErrSize: "size", ErrSection: "section", errors.New("x"): "other", nil: "other", errNotHere: "cut",
	} {
		if got := Reason(err); got != want {
			t.Errorf("Reason(%v) = %q, want %q", err, got, want)
		}
		if err != nil && Reason(fmt.Errorf("y: %w", err)) != want {
			t.Errorf("Reason of a wrapped %v is not %q", err, want)
		}
	}
}
