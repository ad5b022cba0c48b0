package sink

import (
	"encoding/json"
	"io"
	"net/url"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// What SARIF 2.1.0 says in the parts that are used here. Structs of our own: the
// library for it writes every optional part, empty.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Language    string            `json:"language"`
		Newlines    []string          `json:"newlineSequences"`
		Tool        sarifTool         `json:"tool"`
		Automation  sarifID           `json:"automationDetails"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name     string      `json:"name"`
		Language string      `json:"language"`
		Version  string      `json:"version,omitempty"`
		Rules    []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Name    string       `json:"name,omitempty"`
		Short   *sarifText   `json:"shortDescription,omitempty"`
		Full    *sarifText   `json:"fullDescription,omitempty"`
		Help    *sarifText   `json:"help,omitempty"`
		Default *sarifConfig `json:"defaultConfiguration,omitempty"`
		Props   *sarifTags   `json:"properties,omitempty"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifTags struct {
		Tags []string `json:"tags"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifInvocation struct {
		Successful bool        `json:"executionSuccessful"`
		Execution  []sarifNote `json:"toolExecutionNotifications"`
		Config     []sarifNote `json:"toolConfigurationNotifications"`
	}
	sarifNote struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
		Rule    *sarifID  `json:"associatedRule,omitempty"`
	}
	sarifResult struct {
		RuleID       string              `json:"ruleId"`
		RuleIndex    int                 `json:"ruleIndex"`
		Level        string              `json:"level"`
		Message      sarifText           `json:"message"`
		Locations    []sarifLocation     `json:"locations"`
		Fingerprints map[string]string   `json:"partialFingerprints"`
		Suppressions []sarifSuppression  `json:"suppressions,omitempty"`
		Properties   sarifResultProperty `json:"properties"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	}
	sarifLogical struct {
		Name string `json:"name,omitempty"`
		Full string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification,omitempty"`
	}
	// sarifResultProperty are figures that SARIF has no place for, named as in the JSON.
	sarifResultProperty struct {
		Severity    string              `json:"severity"`
		Confidence  analysis.Confidence `json:"confidence,omitempty"`
		Status      store.Status        `json:"status"`
		Reason      string              `json:"reason"`
		Fields      []string            `json:"fields"`
		Count       int64               `json:"count"`
		Impact      float64             `json:"impact"`
		LatencyMS   *store.Latency      `json:"latency_ms,omitempty"`
		Tests       []store.Test        `json:"tests,omitempty"`
		Fingerprint string              `json:"fingerprint"`
	}
)

var sarifLevels = [...]string{analysis.Info: "note", analysis.Low: "note", analysis.Medium: "warning", analysis.High: "error", analysis.Critical: "error"}

func sarifLevel(s analysis.Severity) string { return sarifLevels[min(s, analysis.Critical)] }

const english = "en-US" // has no default in the schema that validators agree on

// sarif writes SARIF 2.1.0. Muted findings are suppressed results. Fixed ones are
// left out: a result that is no longer there is what readers close by themselves.
func (r *Report) sarif(w io.Writer) error {
	rules, index := r.sarifRules()
	run := sarifRun{
		Language: english, Newlines: []string{"\n"},
		Tool:       sarifTool{sarifDriver{Name: "mongoadvisor", Language: english, Version: r.Version, Rules: rules}},
		Automation: sarifID{"mongoadvisor/" + string(r.Source) + "/"}, Invocations: []sarifInvocation{r.sarifInvocation()}, Results: []sarifResult{},
	}
	for _, e := range r.Findings {
		if e.Status != store.Fixed {
			run.Results = append(run.Results, sarifFinding(e, index[e.Rule], r.Baseline))
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// sarifRules describes the rules that ran, and those that only findings name; index
// is where each is.
func (r *Report) sarifRules() (rules []sarifRule, index map[string]int) {
	rules, index = []sarifRule{}, map[string]int{}
	for _, a := range r.Rules {
		index[a.ID] = len(rules)
		rules = append(rules, sarifRule{
			ID: a.ID, Name: a.Name, Short: &sarifText{Text: a.Title}, Full: &sarifText{Text: a.Doc.What},
			Help:    &sarifText{Text: help(a, ""), Markdown: help(a, "## ")},
			Default: &sarifConfig{sarifLevel(a.Severity)}, Props: &sarifTags{tags(a)},
		})
	}
	for _, e := range r.Findings {
		if _, known := index[e.Rule]; !known && e.Status != store.Fixed {
			index[e.Rule] = len(rules)
			rules = append(rules, sarifRule{ID: e.Rule, Name: e.Name})
		}
	}
	return rules, index
}

// help is a rule's page without its examples, which belong to its test.
func help(a *analysis.Analyzer, heading string) string {
	var b strings.Builder
	for _, part := range []struct{ title, text string }{
		{"What it sees", a.Doc.What}, {"Why it matters", a.Doc.Why}, {"What to do", a.Doc.Fix}, {"When it is silent", a.Doc.Guards},
	} {
		if part.text != "" {
			b.WriteString(heading + part.title + "\n\n" + part.text + "\n\n")
		}
	}
	return b.String() + "More: `mongoadvisor rules " + a.ID + "`\n"
}

func tags(a *analysis.Analyzer) []string {
	if a.Correctness {
		return []string{"mongodb", "correctness"}
	}
	return []string{"mongodb", "performance"}
}

// sarifInvocation says what was seen and what was not judged.
func (r *Report) sarifInvocation() sarifInvocation {
	i := sarifInvocation{Successful: true, Execution: []sarifNote{}, Config: []sarifNote{}}
	words := understood(r.Coverage)
	for _, p := range coverage(r) {
		words += "\n" + p.words()
	}
	level := "note"
	if why := incomplete(r); why != "" {
		level, words = "warning", why+". "+words
	}
	i.Execution = append(i.Execution, sarifNote{Level: level, Message: sarifText{Text: words}})
	for _, n := range r.NotJudged {
		i.Config = append(i.Config, sarifNote{Level: "note", Message: sarifText{Text: n.Rule + " not judged: " + n.Why}, Rule: &sarifID{n.Rule}})
	}
	for _, s := range remarks(r) {
		i.Config = append(i.Config, sarifNote{Level: "note", Message: sarifText{Text: s}})
	}
	return i
}

func sarifFinding(e store.Entry, rule int, accepted *BaselineFile) sarifResult {
	out := sarifResult{
		RuleID: e.Rule, RuleIndex: rule, Level: sarifLevel(e.Severity), Message: sarifText{Text: annotation(e)},
		Locations: []sarifLocation{sarifPlace(e, accepted)}, Fingerprints: map[string]string{"mongoadvisor/v1": e.Fingerprint},
		Properties: sarifResultProperty{
			Severity: e.Severity.String(), Confidence: e.Confidence, Status: e.Status, Reason: e.Reason, Fields: e.Fields,
			Count: e.Count, Impact: e.Impact, LatencyMS: e.LatencyMS, Tests: e.Tests, Fingerprint: e.Fingerprint,
		},
	}
	if out.Properties.Fields == nil {
		out.Properties.Fields = []string{}
	}
	if e.Status == store.Muted {
		out.Suppressions = []sarifSuppression{{Kind: "external", Justification: e.MutedBy}}
	}
	return out
}

// sarifPlace is where a result is. Traffic has no source lines, and GitHub takes no
// result without one: the call site that the application names in its comment, else
// the finding's line of the baseline, where it is accepted or would be; without one a
// path that stands for the collection.
func sarifPlace(e store.Entry, accepted *BaselineFile) sarifLocation {
	var l sarifLocation
	at := callSite(e.Comment)
	if at.file == "" && accepted != nil {
		at = site{accepted.Path, max(accepted.Lines[e.Fingerprint], 1)}
	}
	if at.file == "" {
		at = site{"mongodb/" + place(e), 1}
	}
	segments := strings.Split(at.file, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	l.Physical.Artifact.URI, l.Physical.Region.StartLine = strings.Join(segments, "/"), at.line
	_, collection, _ := strings.Cut(e.Namespace, ".")
	l.Logical = []sarifLogical{{Name: collection, Full: place(e), Kind: "resource"}}
	return l
}
