package sink

import (
	"context"
	"encoding/json"
	"slices"
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

// Emit posts one message with all findings.
func (s *Slack) Emit(ctx context.Context, entries []store.Entry) error {
	entries = slices.Clone(entries)
	for i := range entries {
		cleanEntry(&entries[i]) // a line break in a name would be one of the message
	}
	body, err := json.Marshal(map[string]string{"text": slackMessage(grouped(entries))})
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
