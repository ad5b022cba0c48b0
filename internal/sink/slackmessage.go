package sink

import (
	"fmt"
	"strings"
	"time"

	"mongoadvisor/internal/store"
)

// SlackEvery is the least time between two messages, and SlackBatch how many findings one
// may speak of: a deployment that brings hundreds is a message or two. Give them to the
// lane as Interval and Batch.
const (
	SlackEvery = 30 * time.Second
	SlackBatch = maxWaiting
)

// maxSlack bounds the findings that a message shows in full, maxSlackGroups its headings,
// maxSlackText each text in bytes, and maxSlackMessage all of it, in bytes, short of the
// last line: Slack cuts messages at 40,000 characters.
const (
	maxSlack        = 10
	maxSlackGroups  = 40
	maxSlackText    = 600
	maxSlackMessage = 35_000
)

// slackMessage has a heading for each group, and the worst findings below theirs. What it
// does not show it counts.
func slackMessage(groups []group) string {
	findings := all(groups)
	var b strings.Builder
	if len(findings) > 1 {
		fmt.Fprintf(&b, "*%s*: %s\n\n", plural(int64(len(findings)), "finding"), count(findings).words(store.Totals{}))
	}
	shown, unnamed := 0, 0
	for i, g := range groups {
		heading := slackHeading(g)
		if i >= maxSlackGroups || b.Len()+len(heading) > maxSlackMessage {
			unnamed += g.Count
			continue
		}
		b.WriteString(heading)
		for _, e := range g.findings {
			text := slackFinding(e)
			if shown == maxSlack || b.Len()+len(text) > maxSlackMessage {
				break
			}
			b.WriteString(text)
			shown++
		}
	}
	if unnamed > 0 {
		fmt.Fprintf(&b, "and %s elsewhere\n", plural(int64(unnamed), "finding"))
	}
	if shown < len(findings) {
		fmt.Fprintf(&b, "_%d of %d are shown; the report and /api/v1/findings have all_", shown, len(findings))
	}
	return strings.TrimSpace(b.String())
}

// slackHeading names what the findings of a group have in common.
func slackHeading(g group) string {
	severity := strings.ToUpper(g.Severity.String())
	if !open(g.findings[0]) { // the first is the worst: none is
		severity = strings.ToUpper(string(g.findings[0].Status))
	}
	out := fmt.Sprintf("*%s %s %s* on `%s`", severity, slackText(g.Rule), slackText(g.Name), slackCode(place(g.findings[0])))
	if g.Count > 1 {
		out += fmt.Sprintf(", %d findings", g.Count)
	}
	return out + "\n"
}

// slackFinding is one finding. One that is fixed needs no fix.
func slackFinding(e store.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", slackText(short(said(e), maxSlackText)))
	if open(e) && e.Fix.Text != "" {
		fmt.Fprintf(&b, ">%s\n", slackText(short(e.Fix.Text, maxSlackText)))
	}
	if open(e) && e.Fix.Mongosh != "" {
		fmt.Fprintf(&b, "```%s```\n", slackCode(short(e.Fix.Mongosh, maxSlackText)))
	}
	fmt.Fprintf(&b, "_seen %s", slackText(plural(e.Count, "time")))
	if !open(e) && !e.LastSeen.IsZero() {
		fmt.Fprintf(&b, ", last at %s", e.LastSeen.UTC().Format("2006-01-02 15:04 MST"))
	}
	fmt.Fprintf(&b, ", finding %s_\n\n", slackText(short(e.Fingerprint, 64)))
	return b.String()
}
