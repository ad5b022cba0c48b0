package sink

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// Times of alerts. Each is said again before it would end by itself, so that it goes on
// as long as its finding is open, and ends when nobody says it any more.
const (
	// AlertEvery is how often all alerts are said: give it to the lane as Every.
	AlertEvery = 15 * time.Second
	alertEnds  = 3 * time.Minute
	// maxAlerts bounds the findings that are alerts, the worst first.
	maxAlerts = 200
)

// Alertmanager keeps an alert in Alertmanager for each finding that needs attention, and
// resolves it when the finding is fixed or muted.
type Alertmanager struct {
	posts    []*poster
	min      analysis.Severity
	findings func() []store.Entry
	now      func() time.Time
	told     map[string]alertMessage // by fingerprint: what was said to be firing
}

// NewAlertmanager speaks to all of the addresses, as http://127.0.0.1:9093: the members
// of a cluster want each alert themselves. findings are all there are.
func NewAlertmanager(addresses []string, version string, least analysis.Severity, findings func() []store.Entry) (*Alertmanager, error) {
	a := &Alertmanager{min: least, findings: findings, now: time.Now, told: map[string]alertMessage{}}
	for _, address := range addresses {
		p, err := newPoster("alertmanager", strings.TrimSuffix(address, "/")+"/api/v2/alerts", version)
		if err != nil {
			return nil, errors.New("want an address as http://host:9093")
		}
		a.posts = append(a.posts, p)
	}
	return a, nil
}

// Name of the sink in metrics.
func (a *Alertmanager) Name() string { return "alertmanager" }

// Close leaves the alerts to end by themselves: another start goes on with them.
func (a *Alertmanager) Close() error {
	for _, p := range a.posts {
		p.client.CloseIdleConnections()
	}
	return nil
}

// alertMessage is an alert as Alertmanager's API takes it.
type alertMessage struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"` // without it Alertmanager takes EndsAt
	EndsAt      time.Time         `json:"endsAt"`
}

// same tells whether two alerts of a finding have the same labels.
func (m alertMessage) same(other alertMessage) bool { return maps.Equal(m.Labels, other.Labels) }

// Emit says all alerts, whatever is new.
func (a *Alertmanager) Emit(ctx context.Context, _ []store.Entry) error {
	now := a.now()
	var messages []alertMessage
	firing := map[string]alertMessage{}
	for _, e := range a.findings() {
		if e.Severity < a.min || !open(e) || len(firing) >= maxAlerts {
			continue
		}
		m := alertOf(e)
		m.StartsAt, m.EndsAt = now, now.Add(alertEnds)
		if before, ok := a.told[e.Fingerprint]; ok && before.same(m) {
			m.StartsAt = before.StartsAt
		}
		firing[e.Fingerprint] = m
		messages = append(messages, m)
	}
	for fingerprint, m := range a.told {
		again, fires := firing[fingerprint]
		if !fires || !again.same(m) {
			m.EndsAt = now // it is over, or has other labels now, which make it another one
			messages = append(messages, m)
		}
	}
	if len(messages) == 0 {
		return nil
	}
	body, err := json.Marshal(messages)
	if err != nil {
		return &Permanent{err}
	}
	var errs []error
	for _, p := range a.posts {
		if err := p.send(ctx, body, ""); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	a.told = firing
	return nil
}

// alertSeverity are the severities that alerts usually have.
var alertSeverity = map[analysis.Severity]string{analysis.Critical: "critical", analysis.High: "warning", analysis.Medium: "warning", analysis.Low: "info", analysis.Info: "info"}

// alertOf names the finding: what it is told apart by are labels, what is to be read
// annotations.
func alertOf(e store.Entry) alertMessage {
	database, collection, _ := strings.Cut(e.Namespace, ".")
	m := alertMessage{
		Labels: map[string]string{
			"alertname": "MongoAdvisorFinding", "severity": alertSeverity[e.Severity], "finding_severity": e.Severity.String(),
			"rule": e.Rule, "name": e.Name, "fingerprint": e.Fingerprint,
		},
		Annotations: map[string]string{"summary": e.Message, "description": e.Advice + " " + e.Fix.Text, "runbook_url": e.Docs},
	}
	for name, value := range map[string]string{"database": database, "collection": collection} {
		if value != "" {
			m.Labels[name] = value
		}
	}
	if e.Fix.Mongosh != "" {
		m.Annotations["fix"] = e.Fix.Mongosh
	}
	return m
}
