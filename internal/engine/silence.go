package engine

import (
	"slices"
	"strings"

	"mongoadvisor/internal/analysis"
)

// markPrefix starts what a comment says to this program, and silenceMark one that
// silences rules for the query it is on: "mongoadvisor:ignore Q02 reason".
const (
	markPrefix  = "mongoadvisor:"
	silenceMark = markPrefix + "ignore"
)

// silenced gives the reason why a report is muted, or "".
func (e *Engine) silenced(r *analysis.Report) string {
	if reason, ok := silencedBy(r.Op.Comment, r.Rule.ID); ok {
		e.marks.used(r.Op, r.Rule.ID)
		return reason
	}
	for i := range e.config.Ignore {
		if ig := &e.config.Ignore[i]; ig.matches(r) {
			e.ignored[i].Add(1)
			return ig.Reason
		}
	}
	return ""
}

// IgnoreUse is what became of one ignore entry.
type IgnoreUse struct {
	Ignore
	Silenced int64 // findings it silenced, counted by occurrence
	Expired  bool  // its date is past, by the traffic's clock
}

// Ignores tells what became of the ignore entries, in their order. It may be
// called while operations are judged.
func (e *Engine) Ignores() []IgnoreUse {
	out := make([]IgnoreUse, len(e.config.Ignore))
	now := e.clock.Load()
	for i, ig := range e.config.Ignore {
		out[i] = IgnoreUse{ig, e.ignored[i].Load(), !ig.Until.IsZero() && now >= ig.Until.UnixNano()}
	}
	return out
}

// silencedBy reads the mark in a comment.
func silencedBy(comment, id string) (reason string, ok bool) {
	rules, reason, found := silence(comment)
	if !found || !slices.Contains(strings.Split(rules, ","), id) {
		return "", false
	}
	if reason == "" {
		reason = "comment in the query"
	}
	return reason, true
}

// silence takes a mark apart. Several rules are joined by commas.
func silence(comment string) (rules, reason string, ok bool) {
	_, rest, found := strings.Cut(comment, silenceMark)
	if !found {
		return "", "", false
	}
	rules, reason, _ = strings.Cut(strings.TrimSpace(rest), " ")
	return rules, strings.TrimSpace(reason), true
}
