package sink

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"mongoadvisor/internal/store"
)

// SignatureHeader carries "sha256=" and, in hexadecimal digits, the HMAC-SHA-256 of the
// body under the secret that sender and receiver share.
const SignatureHeader = "X-Mongoadvisor-Signature"

// Webhook posts findings to an address as JSON:
// {"schema": 1, "program": "mongoadvisor", "version": "…", "findings": […]}, with findings
// as the log and the API have them.
type Webhook struct {
	url     string
	secret  []byte
	version string
	client  *http.Client
}

// NewWebhook checks the address: http or https, with a host. With a secret every request
// is signed.
func NewWebhook(address, secret, version string) (*Webhook, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("want an address as https://host/path") // it may hold a token: it is not repeated
	}
	return &Webhook{url: address, secret: []byte(secret), version: version, client: &http.Client{
		// a redirect would send findings where nobody has allowed it
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Name of the sink in metrics.
func (w *Webhook) Name() string { return "webhook" }

// Close does nothing.
func (w *Webhook) Close() error { w.client.CloseIdleConnections(); return nil }

// webhookBody is what is posted.
type webhookBody struct {
	Schema   int           `json:"schema"`
	Program  string        `json:"program"`
	Version  string        `json:"version"`
	Findings []store.Entry `json:"findings"`
}

// maxAnswer is how much of an answer is read, so that the connection can be used again.
const maxAnswer = 64 << 10

// Emit posts findings. What the receiver refuses for good is a [Permanent] error, a
// request to come again later a [Later] one. No error repeats the address.
func (w *Webhook) Emit(ctx context.Context, entries []store.Entry) error {
	body, err := json.Marshal(webhookBody{store.Schema, "mongoadvisor", w.version, entries})
	if err != nil {
		return &Permanent{err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return &Permanent{errors.New("the request cannot be made")}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "mongoadvisor/"+w.version)
	if len(w.secret) > 0 {
		mac := hmac.New(sha256.New, w.secret)
		mac.Write(body)
		r.Header.Set(SignatureHeader, "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	answer, err := w.client.Do(r)
	if err != nil {
		var withAddress *url.Error
		if errors.As(err, &withAddress) {
			err = withAddress.Err
		}
		return fmt.Errorf("webhook: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer))
	return judgeAnswer(answer)
}

// judgeAnswer makes an error of a status that is no success.
func judgeAnswer(answer *http.Response) error {
	err := fmt.Errorf("webhook: the receiver answers %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
		if seconds, parse := strconv.Atoi(answer.Header.Get("Retry-After")); parse == nil && seconds > 0 {
			return &Later{err, time.Duration(seconds) * time.Second}
		}
		return err
	case code >= 500, code == http.StatusRequestTimeout:
		return err
	}
	return &Permanent{err}
}
