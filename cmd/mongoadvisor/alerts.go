package main

import (
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
)

// How findings are sent to receivers: as many together, and as often tried again. Eight
// tries with growing pauses take three minutes.
const (
	alertBatch = 50
	alertRetry = 8
)

// alert is a sink beside the log, and how it is served.
type alert struct {
	sink    sink.Sink
	options sink.Options
}

// alerts makes the sinks that are configured, but for files, which are opened when the
// process has the rights it will have. findings are all there are.
func (c *config) alerts(findings func() []store.Entry) ([]alert, error) {
	floor, err := analysis.ParseSeverity(c.Alert.MinSeverity)
	if err != nil {
		return nil, usage("alert.min-severity: %w", err)
	}
	options := sink.Options{MinSeverity: floor, Batch: alertBatch, Retry: alertRetry}
	var out []alert
	if c.Alert.Webhook.URL != "" {
		w, err := sink.NewWebhook(c.Alert.Webhook.URL, c.Alert.Webhook.Secret, version)
		if err != nil {
			return nil, usage("alert.webhook.url: %w", err)
		}
		out = append(out, alert{w, options})
	} else if c.Alert.Webhook.Secret != "" {
		return nil, usage("alert.webhook.secret signs what alert.webhook.url is sent: name an address")
	}
	if c.Alert.Slack.URL != "" {
		s, err := sink.NewSlack(c.Alert.Slack.URL, version)
		if err != nil {
			return nil, usage("alert.slack.url: %w", err)
		}
		people := options // a flood of findings is no flood of messages
		people.Batch, people.Interval = sink.SlackBatch, sink.SlackEvery
		out = append(out, alert{s, people})
	}
	if urls := c.Alert.Alertmanager.URL; len(urls) > 0 {
		a, err := sink.NewAlertmanager(urls, version, floor, findings)
		if err != nil {
			return nil, usage("alert.alertmanager.url: %w", err)
		}
		options.Every = sink.AlertEvery
		out = append(out, alert{a, options})
	}
	return out, nil
}

// alertFile is the file of findings, when one is configured.
func (c *config) alertFile() ([]alert, error) {
	if c.Alert.File == "" {
		return nil, nil
	}
	f, err := sink.NewFile(c.Alert.File)
	if err != nil {
		return nil, usage("alert.file %s: %w", c.Alert.File, trouble(err))
	}
	floor, err := analysis.ParseSeverity(c.Alert.MinSeverity)
	return []alert{{f, sink.Options{MinSeverity: floor}}}, err
}
