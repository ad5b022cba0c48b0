package sink

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fatih/color"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

var update = flag.Bool("update", false, "write the golden files")

// sample is a report with something in every part.
func sample() *Report {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	regex := store.Entry{
		Schema: store.Schema, Fingerprint: "27d13b9845c79ce7", Rule: "Q02", Name: "regex-case-insensitive", Reason: "exact", Severity: analysis.Medium,
		Confidence: analysis.Suspected, Status: store.Open, Namespace: "shop.customers", Command: "find", Fields: []string{"address.city"},
		Shape: "{filter: {address.city: /^<4>$/i}}", ShapeID: "3d3abde6d7164bb7",
		Message: "case-insensitive regular expression on address.city: an index can only be read from end to end",
		Advice:  "Option i leaves an index without bounds, so every string key is examined, whatever the query returns.",
		Fix: analysis.Fix{
			Text:    "Replace the regular expression by an equality under a collation of strength 2.",
			Mongosh: "db.customers.createIndex({ \"address.city\": 1 }, { collation: { locale: \"en\", strength: 2 } })\ndb.customers.find({ \"address.city\": \"<value>\" }).collation({ locale: \"en\", strength: 2 })",
		},
		Caveat:   "a collection that is and stays small",
		Evidence: []analysis.Evidence{{Name: "count", Value: 1412, Limit: 20, Unit: "operations"}, {Name: "keys_examined", Value: 10141, Limit: 1000, Unit: "keys"}},
		Count:    1412, FirstSeen: at, LastSeen: at.Add(90 * time.Minute), LatencyMS: &store.Latency{P50: 1.9, P95: 8.4, Max: 31},
		Clients: []store.Client{{App: "checkout", Driver: "nodejs 6.3", Count: 1400}, {Count: 12}}, Comment: "route=/search",
		Tests: []store.Test{{Name: "TestSearch/by_city", Count: 1400}, {Name: "orders > found [id-1]", Count: 1}}, Impact: 0.12, Docs: "docs/rules/Q02.md",
	}
	again := regex
	again.Fingerprint, again.Status, again.MutedBy, again.Reason, again.Count = "0000000000000001", store.Muted, "an old report", "prefix", 1
	again.LastSeen, again.LatencyMS, again.Clients, again.Comment, again.Fix.Mongosh, again.Tests = at, nil, []store.Client{{App: "checkout", Count: 1}}, "", "", nil
	notice := store.Entry{
		Fingerprint: "0000000000000002", Rule: "O05", Name: "untraceable-traffic", Reason: "undecodable", Severity: analysis.Info, Confidence: analysis.Observed,
		Status: store.Regressed, Command: "notice", Shape: "{stream: tls}", Fields: []string{}, Message: "a connection cannot be read: TLS", Advice: "What is not read is not judged.",
		Fix: analysis.Fix{Text: "End TLS at the proxy."}, Count: 2, FirstSeen: at, LastSeen: at.Add(time.Second), Clients: []store.Client{}, Docs: "docs/rules/O05.md",
	}
	return &Report{
		Schema: store.Schema, Source: op.SourceProxy, Profile: store.Staging,
		Coverage: op.Coverage{
			Connections: 3, ConnectionsUninspected: 1, Bytes: 1 << 20, Messages: 12345, Decoded: 12340, Operations: 6000, RepliesUnpaired: 2, RequestsUnanswered: 1,
			Undecoded: map[string]int64{"malformed": 4, "legacy": 1}, Shed: map[string]int64{"queue_full": 1000}, Ratio: 0.99996,
		},
		Totals: store.Totals{Operations: 6000, Suppressed: 4}, NotJudged: []NotJudged{{Rule: "Q10", Why: "this source carries no execution statistics"}},
		Findings: []store.Entry{regex, notice, again},
	}
}

func text(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b, "text"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextReport(t *testing.T) {
	got := text(t, sample())
	const golden = "testdata/report.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the report differs from %s; if it is meant to: go test ./internal/sink -update\n%s", golden, got)
	}
}

// What goes to a file or a pipe has no colours, whatever standard output is.
func TestColoursOnlyOnATerminal(t *testing.T) {
	old := color.NoColor
	defer func() { color.NoColor = old }()
	color.NoColor = false
	if got := text(t, sample()); strings.ContainsRune(got, 0x1b) {
		t.Errorf("%q", got[:100])
	}
	w := &textWriter{colours: true}
	if got := w.paint("x", color.Bold); columns(got) != 1 || got == "x" {
		t.Errorf("%q is %d columns", got, columns(got))
	}
}

// Everything but commands to copy fits on a terminal.
func TestTextFitsItsWidth(t *testing.T) {
	r := sample()
	r.Totals.Suppressed = 1_000_000
	for severity := range analysis.Critical + 1 {
		for _, status := range store.Statuses {
			e := r.Findings[0]
			e.Severity, e.Status, e.Name, e.Reason, e.Count = severity, status, "regex-optional-quantifier", "optional-quantifier", 1<<40
			e.Namespace, e.Shape, e.Fields = "shop."+strings.Repeat("n", 200), strings.Repeat("ü", 600), []string{strings.Repeat("f", 48)}
			e.Clients = []store.Client{{App: strings.Repeat("a", 128)}, {App: "b"}, {App: "c"}, {App: "d"}, {App: "e"}}
			r.Findings = append(r.Findings, e)
		}
	}
	copyable := map[string]bool{}
	for _, e := range r.Findings {
		for _, l := range strings.Split(e.Fix.Mongosh, "\n") {
			copyable[l] = true
		}
	}
	for _, l := range strings.Split(text(t, r), "\n") {
		if columns(l) > textWidth && !copyable[strings.TrimSpace(l)] {
			t.Errorf("%d columns: %s", columns(l), l)
		}
	}
}

func TestEmptyReportSaysSo(t *testing.T) {
	r := &Report{Source: op.SourceProxy, Profile: store.CI, Coverage: op.Coverage{Ratio: 1}}
	if got := text(t, r); !strings.HasPrefix(got, "Coverage  100.0 %") || !strings.Contains(got, "No findings: no operation was seen") {
		t.Errorf("%s", got)
	}
	r.Totals.Operations = 1
	if got := text(t, r); !strings.Contains(got, "No findings.") {
		t.Errorf("%s", got)
	}
}

// keys lists the keys of a JSON object in order.
func keys(t *testing.T, b []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	var out []string
	depth, isKey := 0, false
	for {
		tok, err := d.Token()
		if err != nil {
			return out
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
			isKey = depth == 1
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			isKey = depth == 1
			continue
		}
		if depth == 1 {
			if isKey {
				out = append(out, tok.(string))
			}
			isKey = !isKey
		}
	}
}

// inOrder reports whether want is a subsequence of got.
func inOrder(got, want []string) bool {
	for _, k := range got {
		if len(want) > 0 && k == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0
}

var findingKeys = []string{
	"schema", "fingerprint", "rule", "name", "reason", "severity", "confidence", "status", "namespace", "command", "fields", "shape",
	"message", "advice", "fix", "evidence", "count", "first_seen", "last_seen", "latency_ms", "clients", "tests", "comment", "impact", "docs",
}

func TestJSONReport(t *testing.T) {
	var b bytes.Buffer
	if err := sample().Write(&b, "json"); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, b.Bytes()); !inOrder(got, []string{"schema", "source", "coverage", "not_judged", "findings"}) {
		t.Errorf("keys %v", got)
	}
	var in struct {
		Findings []json.RawMessage `json:"findings"`
	}
	if err := json.Unmarshal(b.Bytes(), &in); err != nil || len(in.Findings) != 3 {
		t.Fatalf("%d findings, %v", len(in.Findings), err)
	}
	if got := keys(t, in.Findings[0]); !inOrder(got, findingKeys) {
		t.Errorf("keys of a finding %v", got)
	}
	var back Report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if e := back.Findings[0]; e.Severity != analysis.Medium || e.Count != 1412 || !e.LastSeen.Equal(sample().Findings[0].LastSeen) {
		t.Errorf("%+v", e)
	}
	if strings.Contains(b.String(), `\u003c`) {
		t.Error("shapes are escaped for HTML")
	}
}

func TestUnknownFormat(t *testing.T) {
	if err := sample().Write(&bytes.Buffer{}, "xml"); err == nil || !strings.Contains(err.Error(), "text") {
		t.Errorf("%v", err)
	}
}

func TestLogRecord(t *testing.T) {
	var b bytes.Buffer
	log := NewLog(zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(&b), zapcore.DebugLevel)))
	if err := log.Emit(t.Context(), sample().Findings[:2]); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d records", len(lines))
	}
	var record map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &record); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]string{
		"level": "warn", "logger": "finding", "msg": sample().Findings[0].Message, "db.system.name": "mongodb", "db.namespace": "shop",
		"db.collection.name": "customers", "db.operation.name": "find", "db.query.summary": "find customers",
	} {
		if record[k] != want {
			t.Errorf("%s: %v, want %s", k, record[k], want)
		}
	}
	finding, err := json.Marshal(record["finding"])
	if err != nil {
		t.Fatal(err)
	}
	got := keys(t, finding)
	slices.Sort(got) // the map lost their order
	for _, k := range findingKeys {
		if !slices.Contains(got, k) {
			t.Errorf("the finding has no %s", k)
		}
	}
	if !strings.Contains(lines[1], `"level":"info"`) {
		t.Errorf("an info finding is logged as %s", lines[1])
	}
	if log.Name() != "log" || log.Close() != nil {
		t.Error("Name or Close")
	}
}

func TestSeenNamesTheDayWhenItIsAnother(t *testing.T) {
	e := sample().Findings[0]
	e.LastSeen = e.FirstSeen.Add(48 * time.Hour)
	if got := seen(e); !strings.Contains(got, "from 2026-01-01 12:00:00 to 2026-01-03 12:00:00") {
		t.Error(got)
	}
}

func TestWords(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 100000: "100,000", -100: "-100"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	if plural(1, "time") != "1 time" || plural(2000, "time") != "2,000 times" || floorTenth(99.999) != 99.9 {
		t.Error("words")
	}
}
