package sink

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mongoadvisor/internal/store"
)

// Slack posts findings as messages to an incoming webhook of Slack, or of what takes the
// same (Mattermost, Rocket.Chat, Discord's /slack).
type Slack struct {
	post *poster
}

// NewSlack checks the address, which is a secret: whoever has it can post.
func NewSlack(address, version string) (*Slack, error) {
	p, err := newPoster("slack", address, version)
	if err != nil {
		return nil, err
	}
	return &Slack{p}, nil
}

// Name of the sink in metrics.
func (s *Slack) Name() string { return "slack" }

// Close ends idle connections.
func (s *Slack) Close() error { s.post.client.CloseIdleConnections(); return nil }

// maxSlack bounds the findings that a message shows, and maxSlackText each of their
// texts in bytes: Slack cuts messages at 40,000 characters.
const (
	maxSlack     = 10
	maxSlackText = 600
)

// Emit posts one message with all findings.
func (s *Slack) Emit(ctx context.Context, entries []store.Entry) error {
	var b strings.Builder
	for i, e := range entries {
		if i == maxSlack {
			fmt.Fprintf(&b, "and %d more", len(entries)-maxSlack)
			break
		}
		fmt.Fprintf(&b, "*%s %s %s* on `%s`", strings.ToUpper(e.Severity.String()), slackText(e.Rule), slackText(e.Name), slackCode(place(e)))
		if e.Status != store.Open {
			fmt.Fprintf(&b, " (%s)", e.Status)
		}
		fmt.Fprintf(&b, "\n%s\n>%s\n", slackText(short(e.Message, maxSlackText)), slackText(short(e.Fix.Text, maxSlackText)))
		if e.Fix.Mongosh != "" {
			fmt.Fprintf(&b, "```%s```\n", slackCode(short(e.Fix.Mongosh, maxSlackText)))
		}
		fmt.Fprintf(&b, "_seen %s, finding %s_\n\n", slackText(plural(e.Count, "time")), slackText(e.Fingerprint))
	}
	body, err := json.Marshal(map[string]string{"text": strings.TrimSpace(b.String())})
	if err != nil {
		return &Permanent{err}
	}
	return s.post.send(ctx, body, "")
}

// slackEscapes are the characters that Slack gives a meaning in every text: with them a
// name could mention everybody, or be a link.
var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slackText is a text whose names make no markup: what would be is taken apart by a
// space of no width.
func slackText(s string) string {
	return strings.NewReplacer("*", "*\u200b", "_", "_\u200b", "~", "~\u200b", "`", "'", "@", "@\u200b", "\n", " ").Replace(slackEscapes.Replace(s))
}

// slackCode is a text within backquotes.
func slackCode(s string) string {
	return strings.NewReplacer("`", "'").Replace(slackEscapes.Replace(s))
}
