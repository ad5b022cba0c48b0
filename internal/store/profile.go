package store

import (
	"fmt"
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
)

// Profile is the environment the traffic comes from. It sets how often a
// finding must occur before it is reported.
type Profile string

// The profiles.
const (
	CI         Profile = "ci"         // the first occurrence counts
	Staging    Profile = "staging"    // 20 occurrences, 3 when high or critical
	Production Profile = "production" // 100, and one a minute or 1 % of the namespace's time
)

// Profiles lists the names for help texts.
var Profiles = []string{string(Production), string(Staging), string(CI)}

// ParseProfile reads a name; the error lists what it takes.
func ParseProfile(name string) (Profile, error) {
	switch p := Profile(name); p {
	case CI, Staging, Production:
		return p, nil
	}
	return "", fmt.Errorf("profile %q: want one of %s", name, strings.Join(Profiles, ", "))
}

// floor is the least count in force for an entry.
func (p Profile) floor(e *entry) int64 {
	floor := int64(1)
	switch {
	case e.rule.Correctness || p == CI:
	case p == Staging && e.severity >= analysis.High:
		floor = 3
	case p == Staging:
		floor = 20
	default:
		floor = 100
	}
	return max(floor, e.minCount)
}

// reached reports whether an entry occurs often enough to be reported.
func (p Profile) reached(e *entry, ns *namespace) bool {
	if e.count < p.floor(e) {
		return false
	}
	if p != Production || e.rule.Correctness {
		return true
	}
	span := e.last.Sub(e.first)
	perMinute := float64(e.count) / max(span.Minutes(), 1)
	return perMinute >= 1 || ns != nil && ns.latency > 0 && float64(e.latency.sum) >= 0.01*float64(ns.latency)
}

// Rare: at most one an hour, and fast. A join in a report that runs now and
// then is cheaper than data kept twice.
const (
	rareInterval = time.Hour
	rareLatency  = time.Second
)

// rare reports whether an entry occurs too seldom to be worth a change.
func rare(e *entry) bool {
	if e.count < 2 || e.rule.Correctness {
		return false
	}
	return e.last.Sub(e.first)/time.Duration(e.count-1) >= rareInterval && e.latency.quantile(0.95) < rareLatency
}

// Small: answers that come in under 5 ms and fit in 16 KiB say that the
// collection is probably tiny, so that the advice is less urgent.
const (
	smallLatency = 5 * time.Millisecond
	smallReply   = 16 << 10
)

// effective is the severity as reported: one step lower on small data. Data in
// CI is always small, so it says nothing there.
func (p Profile) effective(e *entry) analysis.Severity {
	if p == CI || e.rule.Correctness || e.latency.n == 0 {
		return e.severity
	}
	if e.latency.quantile(0.95) < smallLatency && e.maxReply < smallReply {
		return e.severity.Lower()
	}
	return e.severity
}
