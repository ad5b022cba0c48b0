package store

import (
	"encoding/hex"
	"slices"
	"time"

	"mongoadvisor/internal/analysis"
)

// What is kept may have been written by somebody else, or be damaged in a way that its
// form does not show: it is held to the bounds of what a store sees itself.
const (
	maxEvidence = 32
	// most bounds each figure: the sum of two is a number yet.
	most = 1 << 60
)

// tidy puts a finding into bounds. It reports whether it can be one of ours.
func (f *Saved) tidy() bool {
	id, err := hex.DecodeString(f.Fingerprint)
	if err != nil || len(id) != 8 || f.Rule == "" || f.Figures.Count <= 0 || f.Severity > analysis.Critical || !possible(f.First) || !possible(f.Last) {
		return false
	}
	for _, text := range []*string{
		&f.Rule, &f.Name, &f.Reason, &f.Database, &f.Collection, &f.Command, &f.Shape, &f.Message, &f.Advice, &f.Fix.Text, &f.Fix.Mongosh,
		&f.Caveat, &f.Comment, &f.Silenced, (*string)(&f.Confidence),
	} {
		*text = Printable(*text)
	}
	f.Fields = slices.Clone(f.Fields[:min(len(f.Fields), maxFields)])
	for i, name := range f.Fields {
		f.Fields[i] = Printable(name)
	}
	f.Evidence = slices.Clone(f.Evidence[:min(len(f.Evidence), maxEvidence)])
	for i, x := range f.Evidence {
		f.Evidence[i].Name, f.Evidence[i].Unit = Printable(x.Name), Printable(x.Unit)
	}
	f.Clients = slices.Clone(f.Clients[:min(len(f.Clients), MaxClients+1)]) // the last one are the others
	for i, c := range f.Clients {
		f.Clients[i] = Client{Printable(c.App), Printable(c.Driver), natural(c.Count)}
	}
	for _, at := range []*time.Time{&f.FixedAt, &f.RegressedAt, &f.ToldAt} {
		if !possible(*at) {
			*at = time.Time{}
		}
	}
	f.Figures.tidy()
	f.Documents, f.MaxReply, f.Slowest = natural(f.Documents), natural(f.MaxReply), natural(f.Slowest)
	f.ToldSeverity = min(f.ToldSeverity, analysis.Critical)
	return true
}

func (f *Figures) tidy() {
	for _, n := range []*int64{&f.Count, &f.Loud, &f.Returned, &f.Bytes, &f.Connections, (*int64)(&f.Latency), &f.Measured} {
		*n = natural(*n)
	}
	f.Latencies = slices.Clone(f.Latencies[:min(len(f.Latencies), LatencyBuckets)])
	for i, n := range f.Latencies {
		f.Latencies[i] = int64(saturated(n)) // what a bucket holds at most
	}
}

// tidy puts sums into bounds.
func (w *Workload) tidy() {
	w.Operations, w.Latency = natural(w.Operations), natural(w.Latency)
	if !possible(w.Last) {
		w.Last = time.Time{}
	}
}

func natural[T ~int64](n T) T { return min(max(n, 0), most) }

// possible reports whether a time is none or one that JSON can say, and a clock show.
func possible(t time.Time) bool { return t.Year() >= 1 && t.Unix() <= end }

// series is the counting form; that of what cannot be one is empty.
func (s *SavedSeries) series() series {
	if s == nil || !s.valid() {
		return series{}
	}
	out := series{width: s.Width, first: s.First, figure: Printable(s.Figure)}
	for i, n := range s.Counts {
		out.buckets = append(out.buckets, bucket{n, s.Slowest[i], s.Values[i]})
	}
	return out
}

// valid reports whether widths and times are such that [series.add] makes.
func (s *SavedSeries) valid() bool {
	n := len(s.Counts)
	if n == 0 || n > maxBuckets || len(s.Slowest) != n || len(s.Values) != n || !isWidth(s.Width) {
		return false
	}
	return s.First >= 0 && s.First <= end*int64(time.Second)/int64(s.Width)
}

// isWidth reports whether widening leads to a width.
func isWidth(w time.Duration) bool {
	longest := widths[len(widths)-1]
	for w > longest && w%2 == 0 {
		w /= 2
	}
	return slices.Contains(widths, w)
}
