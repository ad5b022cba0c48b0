package store

import "time"

// Figures are what adds up of a finding over processes and restarts.
type Figures struct {
	Count       int64 `json:"count"`
	Loud        int64 `json:"loud"` // occurrences that nothing silenced
	Returned    int64 `json:"returned_documents,omitempty"`
	Bytes       int64 `json:"returned_bytes,omitempty"`
	Connections int64 `json:"connections,omitempty"`
	// Latency is the sum over all operations, Measured how many the histogram has.
	Latency  time.Duration `json:"latency_ns,omitempty"`
	Measured int64         `json:"measured,omitempty"`
	// Latencies are how many operations took how long, up to the last bucket that is not
	// empty; LatencyBuckets at most.
	Latencies []int64 `json:"latencies,omitempty"`
}

// LatencyBuckets is how many buckets a histogram of latencies has.
const LatencyBuckets = len(latencies{}.buckets)

// Plus adds figures up.
func (f Figures) Plus(other Figures) Figures { return f.combine(other, 1) }

// Minus is what f has more than an earlier state of the same.
func (f Figures) Minus(earlier Figures) Figures { return f.combine(earlier, -1) }

func (f Figures) combine(other Figures, sign int64) Figures {
	out := Figures{
		Count: f.Count + sign*other.Count, Loud: f.Loud + sign*other.Loud, Returned: f.Returned + sign*other.Returned,
		Bytes: f.Bytes + sign*other.Bytes, Connections: f.Connections + sign*other.Connections,
		Latency: f.Latency + time.Duration(sign)*other.Latency, Measured: f.Measured + sign*other.Measured,
		Latencies: make([]int64, max(len(f.Latencies), len(other.Latencies))),
	}
	copy(out.Latencies, f.Latencies)
	for i, n := range other.Latencies {
		out.Latencies[i] += sign * n
	}
	return out
}

// figures are those of an entry.
func (e *entry) figures() Figures {
	f := Figures{
		Count: e.count, Loud: e.loud, Returned: e.returned, Bytes: e.bytes, Connections: e.connections(),
		Latency: e.latency.sum, Measured: int64(e.latency.n),
	}
	for i, n := range e.latency.buckets {
		if n > 0 {
			for len(f.Latencies) <= i {
				f.Latencies = append(f.Latencies, 0)
			}
			f.Latencies[i] = int64(n)
		}
	}
	return f
}

// setFigures replaces those of an entry. What others have and what is new here may be
// less than nothing together, when somebody has changed what is kept: it is taken as 0.
func (e *entry) setFigures(f Figures, slowest time.Duration) {
	e.count, e.loud = max(f.Count, 0), max(f.Loud, 0)
	e.returned, e.bytes = max(f.Returned, 0), max(f.Bytes, 0)
	e.connectionsBefore = f.Connections - int64(len(e.conns))
	e.latency = latencies{sum: max(f.Latency, 0), max: max(slowest, 0)}
	for i, n := range f.Latencies[:min(len(f.Latencies), LatencyBuckets)] {
		e.latency.buckets[i] = saturated(n)
		e.latency.n += uint64(e.latency.buckets[i])
	}
}

// connections is how many connections a finding was seen on, in all processes.
func (e *entry) connections() int64 { return max(e.connectionsBefore, 0) + int64(len(e.conns)) }
