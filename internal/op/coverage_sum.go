package op

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Plus is the coverage of two processes together. Ratio is the mean of theirs, by what
// each has seen.
func (c Coverage) Plus(other Coverage) Coverage {
	a, b := c.weight(), other.weight()
	out := Coverage{
		Connections: c.Connections + other.Connections, ConnectionsUninspected: c.ConnectionsUninspected + other.ConnectionsUninspected,
		ConnectionsMidStream: c.ConnectionsMidStream + other.ConnectionsMidStream, Bytes: c.Bytes + other.Bytes,
		BytesUninspected: c.BytesUninspected + other.BytesUninspected, Messages: c.Messages + other.Messages, Decoded: c.Decoded + other.Decoded,
		Undecoded: addCounts(c.Undecoded, other.Undecoded), Shed: addCounts(c.Shed, other.Shed), Operations: c.Operations + other.Operations,
		Recognised: c.Recognised + other.Recognised, Encrypted: c.Encrypted + other.Encrypted, RepliesUnpaired: c.RepliesUnpaired + other.RepliesUnpaired,
		RequestsUnanswered: c.RequestsUnanswered + other.RequestsUnanswered, SampleRate: mean(c.SampleRate, a, other.SampleRate, b),
		Ratio: mean(c.Ratio, a, other.Ratio, b), Packets: c.Packets.plus(other.Packets), Records: c.Records.plus(other.Records),
		Applications: addApplications(c.Applications, other.Applications),
	}
	return out
}

// weight is how much was seen: messages, or records that tell of operations.
func (c *Coverage) weight() float64 {
	n := c.Messages
	if c.Records != nil {
		n += c.Records.Slow
	}
	return float64(n)
}

// mean of two shares; of nothing at all it is 1.
func mean(x, a, y, b float64) float64 {
	if a+b == 0 {
		return 1
	}
	return (x*a + y*b) / (a + b)
}

func addCounts(a, b map[string]int64) map[string]int64 {
	if a == nil && b == nil {
		return nil
	}
	out := maps.Clone(a)
	if out == nil {
		out = map[string]int64{}
	}
	for name, n := range b {
		out[name] += n
	}
	return out
}

func (p *PacketCoverage) plus(other *PacketCoverage) *PacketCoverage {
	if p == nil || other == nil {
		return cmp.Or(p, other)
	}
	out := PacketCoverage{
		Packets: p.Packets + other.Packets, Bytes: p.Bytes + other.Bytes, Skipped: addCounts(p.Skipped, other.Skipped),
		Dropped: p.Dropped + other.Dropped, Truncated: p.Truncated + other.Truncated, LostBytes: p.LostBytes + other.LostBytes,
		Gaps: p.Gaps + other.Gaps, Resyncs: p.Resyncs + other.Resyncs, OtherTCP: p.OtherTCP + other.OtherTCP,
		OneSided: p.OneSided + other.OneSided, TLS: p.TLS + other.TLS, Incomplete: p.Incomplete || other.Incomplete,
	}
	if p.OneDirection == other.OneDirection {
		out.OneDirection = p.OneDirection
	}
	return &out
}

func (r *RecordCoverage) plus(other *RecordCoverage) *RecordCoverage {
	if r == nil || other == nil {
		return cmp.Or(r, other)
	}
	return &RecordCoverage{
		Records: r.Records + other.Records, Bytes: r.Bytes + other.Bytes, Slow: r.Slow + other.Slow, Decoded: r.Decoded + other.Decoded,
		Skipped: addCounts(r.Skipped, other.Skipped), Undecoded: addCounts(r.Undecoded, other.Undecoded),
		Truncated: r.Truncated + other.Truncated, Redacted: r.Redacted + other.Redacted, Complete: r.Complete && other.Complete,
	}
}

func addApplications(a, b []AppCoverage) []AppCoverage {
	sums := map[string]int64{}
	for _, x := range slices.Concat(a, b) {
		sums[x.App] += x.Operations
	}
	var out []AppCoverage
	for app, n := range sums {
		out = append(out, AppCoverage{app, n})
	}
	slices.SortFunc(out, func(a, b AppCoverage) int {
		return cmp.Or(cmp.Compare(b.Operations, a.Operations), strings.Compare(a.App, b.App))
	})
	return out
}
