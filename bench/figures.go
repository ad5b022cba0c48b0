package main

import (
	"slices"
	"time"
)

// sample is what one load on one target gave.
type sample struct {
	Ops     int64         `json:"ops"`
	Bytes   int64         `json:"bytes,omitempty"` // of replies, where they matter
	Elapsed time.Duration `json:"elapsed_ns"`
	CPU     time.Duration `json:"cpu_ns,omitempty"`     // of the forwarder
	Peak    int64         `json:"peak_bytes,omitempty"` // of the forwarder

	P50  time.Duration `json:"p50_ns,omitempty"`
	P99  time.Duration `json:"p99_ns,omitempty"`
	P999 time.Duration `json:"p999_ns,omitempty"`
}

func (s sample) rate() float64 { return float64(s.Ops) / s.Elapsed.Seconds() }

// perOp is CPU time for one operation.
func (s sample) perOp() float64 {
	if s.Ops == 0 {
		return 0
	}
	return float64(s.CPU) / float64(s.Ops)
}

// times fills in the percentiles.
func (s *sample) times(all []time.Duration) {
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	at := func(q float64) time.Duration { return all[min(len(all)-1, int(q*float64(len(all))))] }
	s.P50, s.P99, s.P999 = at(0.5), at(0.99), at(0.999)
}

// spread is the median of a figure over rounds, and its range.
type spread struct{ Median, Min, Max float64 }

// over is the spread of some values; without any it is zero.
func over(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return spread{Median: (v[(n-1)/2] + v[n/2]) / 2, Min: v[0], Max: v[n-1]}
}

// ratios divides figures of the same round. Rounds in which one is missing are
// left out.
func ratios(these, those []sample, figure func(sample) float64) []float64 {
	var out []float64
	for i := range min(len(these), len(those)) {
		if b := figure(those[i]); b > 0 && figure(these[i]) > 0 {
			out = append(out, figure(these[i])/b)
		}
	}
	return out
}

func values(samples []sample, figure func(sample) float64) []float64 {
	var out []float64
	for _, s := range samples {
		out = append(out, figure(s))
	}
	return out
}
