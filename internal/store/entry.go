package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// Schema is the version of the JSON object of a finding.
const Schema = 1

// Status is where a finding is in its life.
type Status string

// The statuses that are shown. What is below its floor or rare is not.
const (
	Open      Status = "open"
	Fixed     Status = "fixed"     // the namespace goes on being used, the pattern does not occur
	Regressed Status = "regressed" // it came back after it was fixed
	Muted     Status = "muted"     // silenced by a comment or the configuration
)

// Statuses lists all of them, for metrics.
var Statuses = []Status{Open, Fixed, Regressed, Muted}

// Entry is a finding as everybody outside sees it: in the log, the API, the
// reports and the webhooks.
type Entry struct {
	Schema      int                 `json:"schema"`
	Fingerprint string              `json:"fingerprint"`
	Rule        string              `json:"rule"`
	Name        string              `json:"name"`
	Reason      string              `json:"reason"`
	Severity    analysis.Severity   `json:"severity"`
	Confidence  analysis.Confidence `json:"confidence"`
	Status      Status              `json:"status"`
	Namespace   string              `json:"namespace"`
	Command     string              `json:"command"`
	Fields      []string            `json:"fields"`
	Shape       string              `json:"shape"`
	ShapeID     string              `json:"shape_id"`
	Message     string              `json:"message"`
	Advice      string              `json:"advice"`
	Fix         analysis.Fix        `json:"fix"`
	Caveat      string              `json:"caveat,omitempty"`
	Evidence    []analysis.Evidence `json:"evidence"`
	Count       int64               `json:"count"`
	FirstSeen   time.Time           `json:"first_seen"`
	LastSeen    time.Time           `json:"last_seen"`
	LatencyMS   *Latency            `json:"latency_ms,omitempty"`
	Clients     []Client            `json:"clients"`
	Tests       []Test              `json:"tests,omitempty"`
	Comment     string              `json:"comment,omitempty"`
	MutedBy     string              `json:"muted_by,omitempty"`
	Impact      float64             `json:"impact"`
	Docs        string              `json:"docs"`
	// Series is for plots. It is not in the JSON: a hundred numbers, one a line, would
	// bury what the finding says, in each log record too. So what is read back from JSON
	// has none. nil when no occurrence has a time.
	Series *Series `json:"-"`
}

// Latency are quantiles in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	Max float64 `json:"max"`
}

// Client is one application that causes a finding.
type Client struct {
	App    string `json:"app"`
	Driver string `json:"driver"`
	Count  int64  `json:"count"`
}

// Fingerprint identifies a finding on every replica, machine and run.
func Fingerprint(r *analysis.Report) string {
	h := sha256.Sum256([]byte(strings.Join([]string{r.Rule.ID, r.Finding.Reason, r.NS.Template(), r.Shape.String()}, "\x00")))
	return hex.EncodeToString(h[:8])
}

// entry is the counting side of an Entry.
type entry struct {
	rule        *analysis.Analyzer
	fingerprint string
	finding     analysis.Finding
	confidence  analysis.Confidence
	ns          string       // printable
	space       op.Namespace // as sent: the key of its namespace
	shape       op.Shape
	command     string
	comment     string
	severity    analysis.Severity
	minCount    int64
	count       int64
	first, last time.Time
	latency     latencies
	series      series
	maxReply    int
	documents   few   // distinct, as far as statements name them by _id
	conns       few   // distinct connections
	returned    int64 // documents of all replies
	bytes       int64 // of all replies
	clients     map[Client]int64
	tests       map[string]int64 // by name; nil for none
	silenced    string           // reason of the last silenced occurrence
	loud        int64            // occurrences that nothing silenced
	quiet       string           // why it is muted all the same, as long as loud is
	quietAt     int64
	// when it was last found to be fixed, and to be back; zero: never
	fixedAt, regressedAt time.Time

	announced bool // told to the sinks
	told      analysis.Severity
	toldAt    time.Time
	toldFixed bool // told that it is fixed

	// of earlier processes, and of others over a shared store
	kept              bool // nothing was seen of it since it was restored
	connectionsBefore int64
	documentsBefore   int64
	shared            share
}

func newEntry(r *analysis.Report, fingerprint string) *entry {
	f := r.Finding
	f.Fields = f.Fields[:min(len(f.Fields), maxFields)]
	fields := make([]string, len(f.Fields))
	for i, name := range f.Fields {
		fields[i] = Printable(name)
	}
	f.Fields = fields
	f.Message, f.Advice, f.Caveat = Printable(f.Message), Printable(f.Advice), Printable(f.Caveat)
	f.Fix.Text, f.Fix.Mongosh = Printable(f.Fix.Text), Printable(f.Fix.Mongosh)
	shape := op.Shape{ID: r.Shape.ID, Text: Printable(r.Shape.Text)}
	return &entry{
		rule: r.Rule, fingerprint: fingerprint, finding: f, ns: Printable(r.NS.String()), space: r.NS.Cut().Clone(), shape: shape,
		command: r.Command, first: r.Time, clients: map[Client]int64{}, confidence: r.Confident,
	}
}

// maxFields and maxText bound what is kept of one finding: fields named, and
// bytes of each text.
const (
	maxFields = 16
	maxText   = 4 << 10
)

// Printable copies a text whose names a client chose (they alias its message)
// without what is not UTF-8 and what a terminal would obey.
func Printable(s string) string {
	if len(s) > maxText {
		s = s[:maxText] + "…"
	}
	return strings.Map(func(c rune) rune {
		if c == '\n' || unicode.IsPrint(c) {
			return c
		}
		return '\uFFFD'
	}, strings.Clone(s))
}

// MaxClients bounds the applications kept per finding; the others add up in one, under
// the name of OtherClients.
const (
	MaxClients   = 16
	OtherClients = "(others)"
)

// add counts an occurrence, and those it stands for.
func (e *entry) add(r *analysis.Report) {
	if e.kept { // what JSON has made of a name is not what was sent
		e.kept, e.rule, e.space = false, r.Rule, r.NS.Cut().Clone()
	}
	e.count += r.Count
	if r.Time.After(e.last) {
		e.last = r.Time
	}
	if r.Time.Before(e.first) {
		e.first = r.Time
	}
	if e.fixedAt.After(e.last) { // an operation that others have overtaken
		e.fixedAt = e.last
	}
	e.severity = max(e.severity, r.Severity)
	e.minCount = r.MinCount
	if r.Confident.Over(e.confidence) {
		e.confidence = r.Confident
	}
	if len(r.Finding.Evidence) > 0 {
		e.finding.Evidence = r.Finding.Evidence
	}
	e.latency.add(r.Op.Latency, r.Count)
	e.series.report(r)
	e.addReply(r)
	if r.Silenced == "" {
		e.loud += r.Count
	} else {
		e.silenced = Printable(r.Silenced)
	}
	if e.comment == "" {
		e.comment = Printable(r.Op.Comment)
	}
	c := Client{}
	if r.Op.Conn != nil {
		c.App, c.Driver = r.Op.Conn.App, r.Op.Conn.Driver
	}
	e.countClient(c, r.Count)
	e.addTests(r)
}

// countClient counts occurrences of a client, whose own Count is 0.
func (e *entry) countClient(c Client, n int64) {
	if _, known := e.clients[c]; !known && len(e.clients) >= MaxClients {
		c = Client{App: OtherClients}
	}
	e.clients[c] += n
}

// countClients puts a list into the form in which entries count.
func countClients(list []Client) map[Client]int64 {
	out := map[Client]int64{}
	for _, c := range list {
		out[Client{App: c.App, Driver: c.Driver}] += max(c.Count, 0)
	}
	return out
}

// addReply counts what an occurrence touched and brought back.
func (e *entry) addReply(r *analysis.Report) {
	e.maxReply = max(e.maxReply, r.Op.Reply.Bytes)
	e.bytes += int64(r.Op.Reply.Bytes) * r.Count
	e.returned += int64(max(r.Op.Reply.Returned, 0)) * r.Count
	if s := r.Op.Statements(); r.Finding.Statement < len(s) {
		if hash, ok := s[r.Finding.Statement].Target(); ok {
			e.documents.add(hash)
		}
	}
	if r.Op.Conn != nil {
		e.conns.add(r.Op.Conn.ID)
	}
}

// muted reports whether every occurrence was silenced by a mark or the
// configuration. One that was not is enough to show the finding: the mark is on
// one query, the finding may be on more.
func (e *entry) muted() bool { return e.loud == 0 || e.quiet != "" && e.loud == e.quietAt }
