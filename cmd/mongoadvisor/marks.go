package main

import (
	"mongoadvisor/analyzers"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
)

// marks lists the marks in comments that silence nothing, name no rule, or give no
// reason.
func marks(uses []engine.MarkUse) []sink.IdleIgnore {
	known := map[string]bool{}
	for _, rule := range analyzers.All() {
		known[rule.ID] = true
	}
	for _, rule := range analyzers.NeedInspection() {
		known[rule.ID] = true
	}
	var out []sink.IdleIgnore
	for _, use := range uses {
		x := sink.IdleIgnore{Mark: true, Rule: store.Printable(use.Rule), Namespace: store.Printable(use.Namespace.String())}
		switch {
		case !known[use.Rule]:
			x.Why = sink.IgnoreNoRule
		case use.Silenced == 0:
			x.Why = sink.IgnoreUnused
		case use.Reasonless:
			x.Why = sink.IgnoreNoReason
		default:
			continue
		}
		out = append(out, x)
	}
	return out
}
