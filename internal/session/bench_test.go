package session

import (
	"syscall"
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

// BenchmarkJudge judges the operations of recorded workloads, decoded before: what
// every rule and the store cost for shapes that are known.
//
//	go test ./internal/session -run '^$' -bench Judge -benchmem
func BenchmarkJudge(b *testing.B) {
	for _, name := range []string{"plain", "mongoose"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var recorded []op.Operation
			play(b, readCapture(b, name), func(o *op.Operation) { recorded = append(recorded, *o) })
			e := engine.New(engine.Config{Rules: analyzers.All(), Recorder: store.New(store.Config{Profile: store.Staging})})
			rooms := [2]*op.Operation{{}, {}} // a rule may remember the operation before
			i, n, shift := 0, 0, time.Duration(0)
			before := cpuTime()
			for b.Loop() {
				room := rooms[n%2]
				*room = recorded[i]
				room.Time = room.Time.Add(shift) // the clock goes on
				e.Judge(room)
				n++
				if i++; i == len(recorded) {
					i = 0
					shift += time.Minute
				}
			}
			b.ReportMetric(float64(cpuTime()-before)/float64(n), "cpu-ns/op")
		})
	}
}

// cpuTime is what the process has used of the processors: machines are shared.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
