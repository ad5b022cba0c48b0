package sink

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"mongoadvisor/internal/store"
)

// The elements of a JUnit report, as GitLab and Jenkins read it. Times are there
// because readers want them; a rule takes none.
type (
	junitReport struct {
		XMLName xml.Name `xml:"testsuites"`
		junitCounts
		Suites []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		junitCounts
		Cases []junitCase `xml:"testcase"`
	}
	junitCounts struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Time     string `xml:"time,attr"`
	}
	junitCase struct {
		Name       string           `xml:"name,attr"`
		Class      string           `xml:"classname,attr"`
		Time       string           `xml:"time,attr"`
		Properties *junitProperties `xml:"properties"`
		Skipped    *junitProblem    `xml:"skipped"`
		Failure    *junitProblem    `xml:"failure"`
		Output     string           `xml:"system-out,omitempty"`
	}
	// junitProperties name the tests of the suite during which a finding occurred.
	junitProperties struct {
		List []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

const noTime = "0"

// junit writes a suite for each rule: a test for each open finding, failed from
// FailOn on; one passed test of a rule that was silent; one skipped test of a rule
// that was not judged. The first suite says how much was seen: with nothing seen, no
// rule has passed. What is muted or fixed is no test; a suite's output names it.
func (r *Report) junit(w io.Writer) error {
	out := junitReport{junitCounts: junitCounts{Name: "mongoadvisor", Time: noTime}}
	suites := map[string]*junitSuite{}
	suite := func(rule, name string) *junitSuite {
		if suites[rule] == nil {
			suites[rule] = &junitSuite{junitCounts: junitCounts{Name: strings.TrimSpace(rule + " " + name), Time: noTime}}
			out.Suites = append(out.Suites, suites[rule])
		}
		return suites[rule]
	}
	suite("coverage", "").add(r.junitCoverage())
	for _, a := range r.Rules {
		suite(a.ID, a.Name)
	}
	quiet := map[string]string{} // what is muted or fixed, by rule
	for _, e := range r.Findings {
		s := suite(e.Rule, e.Name)
		if open(e) {
			s.add(r.junitFinding(e))
		} else {
			quiet[e.Rule] += quietWords(e) + "\n"
		}
	}
	for _, n := range r.NotJudged {
		suite(n.Rule, "").add(junitCase{Name: "not judged", Class: class(n.Rule), Skipped: &junitProblem{Message: n.Why}})
	}
	for _, a := range r.ruleIDs() {
		if s := suites[a]; len(s.Cases) == 0 {
			s.add(r.junitSilence(a, quiet[a]))
		} else if quiet[a] != "" {
			s.Cases[0].Output += "\n" + quiet[a]
		}
	}
	for _, s := range out.Suites {
		out.Tests, out.Failures, out.Skipped = out.Tests+s.Tests, out.Failures+s.Failures, out.Skipped+s.Skipped
	}
	return writeXML(w, out)
}

func writeXML(w io.Writer, doc any) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("JUnit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase) {
	c.Time = noTime
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
}

// ruleIDs are those that ran, and those that findings name.
func (r *Report) ruleIDs() []string {
	var out []string
	known := map[string]bool{}
	add := func(id string) {
		if !known[id] {
			known[id] = true
			out = append(out, id)
		}
	}
	for _, a := range r.Rules {
		add(a.ID)
	}
	for _, e := range r.Findings {
		add(e.Rule)
	}
	return out
}

// class groups tests: readers take what is before the last point for a package.
func class(rule string) string { return "mongoadvisor." + rule }

// maxTestName is what a test's name and a failure's message may be long; the text
// below has it all.
const maxTestName = 300

// junitFinding is the test of one finding. Its name is the same in each run, so that
// two runs can be compared.
func (r *Report) junitFinding(e store.Entry) junitCase {
	name := fmt.Sprintf("%s %s %s [%s]", short(place(e), maxTestName), e.Command, e.Reason, e.Fingerprint)
	c := junitCase{Name: name, Class: class(e.Rule)}
	if len(e.Tests) > 0 {
		c.Properties = &junitProperties{}
	}
	for _, x := range e.Tests {
		c.Properties.List = append(c.Properties.List, junitProperty{"test", x.Name})
	}
	text := "\n" + paragraph(e)
	if e.Severity < r.FailOn {
		c.Output = text
		return c
	}
	c.Failure = &junitProblem{Message: e.Severity.String() + ": " + short(e.Message, maxTestName), Type: e.Rule + " " + e.Name, Text: text}
	return c
}

// nothingSeen is why a silent rule has not passed.
const nothingSeen = "no operation was seen: silence says nothing"

func (r *Report) junitSilence(rule, quiet string) junitCase {
	c := junitCase{Name: "no open findings", Class: class(rule), Output: quiet}
	if r.Totals.Operations == 0 {
		c.Skipped = &junitProblem{Message: nothingSeen}
	}
	return c
}

func (r *Report) junitCoverage() junitCase {
	c := junitCase{Name: "traffic was seen", Class: "mongoadvisor.coverage", Output: understood(r.Coverage)}
	for _, p := range coverage(r) {
		c.Output += "\n" + p.words()
	}
	for _, s := range remarks(r) {
		c.Output += "\n" + s
	}
	if r.Totals.Operations == 0 {
		c.Skipped = &junitProblem{Message: nothingSeen}
	}
	return c
}

// quietWords is one line about a finding that asks for nothing.
func quietWords(e store.Entry) string {
	s := fmt.Sprintf("%s: %s %s on %s [%s]", e.Status, e.Severity, e.Reason, place(e), e.Fingerprint)
	if e.MutedBy != "" {
		s += ": " + e.MutedBy
	}
	return s
}
