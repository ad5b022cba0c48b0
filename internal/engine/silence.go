package engine

import (
	"slices"
	"strings"
	"time"

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
	if ig := e.current.ignoring(r); ig != nil {
		ig.used.Add(1)
		return ig.Reason
	}
	return ""
}

// IgnoreUse is what became of one ignore entry.
type IgnoreUse struct {
	Ignore
	Silenced int64 // findings it silenced, counted by occurrence; those of before count once
	Expired  bool  // its date is past, by the traffic's clock
}

// Ignores tells what became of the ignore entries, in their order. It may be
// called while operations are judged.
func (e *Engine) Ignores() []IgnoreUse {
	entries := e.latest.Load().ignores
	out := make([]IgnoreUse, len(entries))
	now := e.clock.Load()
	for i, ig := range entries {
		out[i] = IgnoreUse{ig.Ignore, ig.used.Load(), !ig.Until.IsZero() && now >= ig.Until.UnixNano()}
	}
	return out
}

// ruleOff is why findings of a rule are muted that was switched off after it had made
// them.
const ruleOff = "the rule is switched off"

// Ignored gives the reason why the configuration mutes what a report tells of by its
// rule, namespace, shape and time, or "": for findings from before it was in force.
func (e *Engine) Ignored(r *analysis.Report) string {
	s := e.latest.Load()
	if s.rule(r.Rule.ID) == nil {
		return ruleOff
	}
	e.advance(r.Time)
	if ig := s.ignoring(r); ig != nil {
		ig.used.CompareAndSwap(0, 1) // one that mutes what is there already is in use
		return ig.Reason
	}
	return ""
}

// advance sets the clock forward: findings that were kept may be of a later time than
// what was judged.
func (e *Engine) advance(t time.Time) {
	for now := e.clock.Load(); t.UnixNano() > now; now = e.clock.Load() {
		if e.clock.CompareAndSwap(now, t.UnixNano()) {
			return
		}
	}
}

// silencedBy reads the mark in a comment.
func silencedBy(comment, id string) (reason string, ok bool) {
	rules, reason, found := readMark(comment)
	if !found || !slices.Contains(strings.Split(rules, ","), id) {
		return "", false
	}
	if reason == "" {
		reason = "comment in the query"
	}
	return reason, true
}

// readMark takes a mark apart. Several rules are joined by commas.
func readMark(comment string) (rules, reason string, ok bool) {
	_, rest, found := strings.Cut(comment, silenceMark)
	if !found {
		return "", "", false
	}
	rules, reason, _ = strings.Cut(strings.TrimSpace(rest), " ")
	return rules, strings.TrimSpace(reason), true
}
