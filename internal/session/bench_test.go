package session

import (
	"testing"
	"time"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// BenchmarkCapture plays a recorded shop through framing, decoding, pairing and
// every rule: what one operation costs the analysis. Run with -benchmem:
//
//	go test ./internal/session -run '^$' -bench Capture -benchmem
func BenchmarkCapture(b *testing.B) {
	chunks := readCapture(b, "plain")
	for _, side := range []struct {
		name string
		emit func() func(*op.Operation)
	}{
		{"decoding", func() func(*op.Operation) { return func(*op.Operation) {} }},
		{"judging", func() func(*op.Operation) {
			e := engine.New(engine.Config{Rules: analyzers.All(), Recorder: store.New(store.Config{Profile: store.Staging})})
			return e.Judge
		}},
	} {
		b.Run(side.name, func(b *testing.B) {
			b.ReportAllocs()
			emit, operations := side.emit(), 0
			count := func(o *op.Operation) {
				operations++
				emit(o)
			}
			start := time.Now()
			for b.Loop() {
				play(b, chunks, count)
			}
			b.ReportMetric(float64(time.Since(start).Nanoseconds())/float64(operations), "ns/operation")
		})
	}
}
