package sink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// poster posts JSON to an address, which may hold a token or a password: no error
// repeats it.
type poster struct {
	what    string // for errors: "webhook"
	url     string
	version string
	client  *http.Client
}

// newPoster checks the address: http or https, with a host.
func newPoster(what, address, version string) (*poster, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("want an address as https://host/path")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() // with its proxies, and idle connections of its own
	transport.MaxResponseHeaderBytes = maxAnswer
	return &poster{what: what, url: address, version: version, client: &http.Client{
		Transport: transport,
		// a redirect would send findings where nobody has allowed it
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// maxAnswer is how many bytes of an answer's body are read, so that the connection can be
// used again, and how many its header may have.
const maxAnswer = 64 << 10

// send posts a body, with a signature unless that is empty. What the receiver refuses
// for good is a [Permanent] error, a request to come again later a [Later] one.
func (p *poster) send(ctx context.Context, body []byte, signature string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return &Permanent{fmt.Errorf("%s: the request cannot be made", p.what)}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "mongoadvisor/"+p.version)
	if signature != "" {
		r.Header.Set(SignatureHeader, signature)
	}
	answer, err := p.client.Do(r)
	if err != nil {
		var withAddress *url.Error
		if errors.As(err, &withAddress) {
			err = withAddress.Err
		}
		return fmt.Errorf("%s: %w", p.what, err)
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer))
	return p.judge(answer)
}

// judge makes an error of a status that is no success.
func (p *poster) judge(answer *http.Response) error {
	err := fmt.Errorf("%s: the receiver answers %d %s", p.what, answer.StatusCode, http.StatusText(answer.StatusCode))
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
