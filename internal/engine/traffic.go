package engine

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// maxTraffic bounds the collections whose workload is summed up; what comes
// beyond is not.
const maxTraffic = 10_000

// trafficTable sums up the workload of each collection.
type trafficTable struct {
	byNS map[op.Namespace]*analysis.Traffic
}

func newTrafficTable() *trafficTable {
	return &trafficTable{byNS: map[op.Namespace]*analysis.Traffic{}}
}

func (t *trafficTable) of(ns op.Namespace) analysis.Traffic {
	if sum, ok := t.byNS[ns.Cut()]; ok {
		return *sum
	}
	return analysis.Traffic{}
}

func (t *trafficTable) count(o *op.Operation) {
	if o.Command != "bulkWrite" {
		t.add(o.Stored(), o)
		return
	}
	previous, command := op.Namespace{}, ""
	for i := range o.Statements() { // its time is not shared out, as in the store
		s := &o.Statements()[i]
		if s.NS != previous {
			t.add(s.NS, &op.Operation{Time: o.Time, Kind: o.Kind, Command: s.Command})
		} else if s.Command == "update" && command != "update" {
			t.changed(s.NS)
		} else {
			continue
		}
		previous, command = s.NS, s.Command
	}
}

func (t *trafficTable) add(ns op.Namespace, o *op.Operation) {
	ns = ns.Cut()
	sum, ok := t.byNS[ns]
	if !ok {
		if len(t.byNS) >= maxTraffic {
			return
		}
		sum = &analysis.Traffic{First: o.Time, Last: o.Time}
		t.byNS[ns.Clone()] = sum
	}
	switch o.Kind {
	case op.KindRead:
		sum.Reads++
	case op.KindWrite:
		sum.Writes++
		if o.Command == "update" || o.Command == "findAndModify" {
			sum.Changes++
		}
	}
	sum.Latency += o.Latency
	if o.Time.After(sum.Last) {
		sum.Last = o.Time
	}
	if o.Time.Before(sum.First) {
		sum.First = o.Time
	}
}

// changed counts a change besides what was counted of the operation.
func (t *trafficTable) changed(ns op.Namespace) {
	if sum, ok := t.byNS[ns.Cut()]; ok {
		sum.Changes++
	}
}
