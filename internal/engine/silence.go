package engine

import (
	"slices"
	"strings"

	"mongoadvisor/internal/analysis"
)

// silenceMark starts a comment that silences rules for the query it is on:
// "mongoadvisor:ignore Q02 reason".
const silenceMark = "mongoadvisor:ignore"

// silenced gives the reason why a report is muted, or "".
func (e *Engine) silenced(r *analysis.Report) string {
	if reason, ok := silencedBy(r.Op.Comment, r.Rule.ID); ok {
		return reason
	}
	for _, i := range e.config.Ignore {
		if i.matches(r) {
			return i.Reason
		}
	}
	return ""
}

// silencedBy reads the mark in a comment. Several rules are joined by commas.
func silencedBy(comment, id string) (reason string, ok bool) {
	_, rest, found := strings.Cut(comment, silenceMark)
	if !found {
		return "", false
	}
	rules, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if !slices.Contains(strings.Split(rules, ","), id) {
		return "", false
	}
	if reason = strings.TrimSpace(reason); reason == "" {
		reason = "comment in the query"
	}
	return reason, true
}
