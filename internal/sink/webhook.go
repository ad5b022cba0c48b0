package sink

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"mongoadvisor/internal/store"
)

// SignatureHeader carries "sha256=" and, in hexadecimal digits, the HMAC-SHA-256 of the
// body under the secret that sender and receiver share.
const SignatureHeader = "X-Mongoadvisor-Signature"

// Webhook posts findings to an address as JSON:
// {"schema": 1, "program": "mongoadvisor", "version": "…", "groups": […], "findings": […]},
// with findings as the log and the API have them, in the order of their groups.
type Webhook struct {
	post    *poster
	secret  []byte
	version string
}

// NewWebhook checks the address: http or https, with a host. With a secret every request
// is signed.
func NewWebhook(address, secret, version string) (*Webhook, error) {
	p, err := newPoster("webhook", address, version)
	if err != nil {
		return nil, err
	}
	return &Webhook{post: p, secret: []byte(secret), version: version}, nil
}

// Name of the sink in metrics.
func (w *Webhook) Name() string { return "webhook" }

// Close does nothing.
func (w *Webhook) Close() error { w.post.client.CloseIdleConnections(); return nil }

// webhookBody is what is posted.
type webhookBody struct {
	Schema   int           `json:"schema"`
	Program  string        `json:"program"`
	Version  string        `json:"version"`
	Groups   []group       `json:"groups"`
	Findings []store.Entry `json:"findings"`
}

// Emit posts findings. What the receiver refuses for good is a [Permanent] error, a
// request to come again later a [Later] one. No error repeats the address.
func (w *Webhook) Emit(ctx context.Context, entries []store.Entry) error {
	groups := grouped(entries)
	body, err := json.Marshal(webhookBody{store.Schema, "mongoadvisor", w.version, groups, all(groups)})
	if err != nil {
		return &Permanent{err}
	}
	var signature string
	if len(w.secret) > 0 {
		mac := hmac.New(sha256.New, w.secret)
		mac.Write(body)
		signature = "sha256=" + hex.EncodeToString(mac.Sum(nil))
	}
	return w.post.send(ctx, body, signature)
}
