package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"mongoadvisor/e2e/harness"
)

// judged is what the proxy says of its own work.
type judged struct {
	Ratio       float64          `json:"ratio"` // of what passed, how much the rules saw; 1 is all
	Messages    int64            `json:"messages"`
	Operations  int64            `json:"operations"`
	Undecoded   map[string]int64 `json:"undecoded,omitempty"`               // messages, by reason
	Shed        map[string]int64 `json:"shed,omitempty"`                    // messages, by reason
	Uninspected int64            `json:"connections_uninspected,omitempty"` // not MongoDB's protocol
	MidStream   int64            `json:"connections_mid_stream,omitempty"`
	Panics      int64            `json:"panics"` // of rules
}

// missed says what the rules did not see although they should have. docs/limits.md
// excuses documents longer than what is kept of a message ("cut"), as the reply to
// getParameter "*" or the list in the body of an insert by Node.js, and a compressed
// message of more than 4 MiB ("size").
func (j judged) missed(compressed bool) string {
	undecoded := maps.Clone(j.Undecoded)
	delete(undecoded, "cut")
	if compressed {
		delete(undecoded, "size")
	}
	if len(undecoded) == 0 && len(j.Shed) == 0 && j.Uninspected == 0 && j.MidStream == 0 {
		return ""
	}
	return fmt.Sprintf("messages undecoded %v, shed %v, connections uninspected %d, seen from the middle %d", undecoded, j.Shed, j.Uninspected, j.MidStream)
}

// judged asks the proxy once nothing waits for analysis any more.
func (p *proxy) judged(ctx context.Context) (judged, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, errors.New("the analysis does not catch up"))
	defer cancel()
	var j judged
	for {
		metrics, err := p.get(ctx, "/metrics")
		if err != nil {
			return j, errors.Join(err, context.Cause(ctx))
		}
		samples := harness.Samples(string(metrics))
		if harness.Total(samples, "mongoadvisor_analysis_queue_bytes", "") == 0 {
			j.Panics = int64(harness.Total(samples, "mongoadvisor_rule_panics_total", ""))
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	coverage, err := p.get(ctx, "/api/v1/coverage")
	if err != nil {
		return j, err
	}
	return j, json.Unmarshal(coverage, &j)
}
