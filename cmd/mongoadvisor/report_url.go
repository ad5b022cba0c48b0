package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
)

// fetchTime bounds the asking of a process, and maxFetched its answer.
const (
	fetchTime  = 30 * time.Second
	maxFetched = 256 << 20
)

// fetchReport asks the API of a running process.
func fetchReport(ctx context.Context, address string) (*sink.Report, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, usage("url: want the web endpoint of a running process, as http://127.0.0.1:28217")
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("api/v1/findings").String(), nil)
	if err != nil {
		return nil, usage("url: %w", err)
	}
	r.Header.Set("User-Agent", "mongoadvisor/"+version)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, &exitError{exitUpstream, fmt.Errorf("%s does not answer: %w", u.Host, reason(err))}
	}
	defer func() { _ = answer.Body.Close() }()
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		return nil, usage("%s wants user and password: https://user:password@%s, in MONGOADVISOR_URL_FILE", u.Host, u.Host)
	case answer.StatusCode != http.StatusOK:
		return nil, unreadable(fmt.Errorf("%s answers %s: is it the web endpoint of mongoadvisor?", u.Host, answer.Status))
	}
	var report sink.Report
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxFetched)).Decode(&report); err != nil {
		return nil, unreadable(fmt.Errorf("the answer of %s is no report: %w", u.Host, err))
	}
	if report.Schema != store.Schema {
		return nil, unreadable(fmt.Errorf("the answer of %s has schema %d, and this version reads %d", u.Host, report.Schema, store.Schema))
	}
	return &report, nil
}
