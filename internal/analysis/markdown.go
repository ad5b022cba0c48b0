package analysis

import (
	"fmt"
	"strings"
)

// Example is one tested data file of a rule as its page shows it.
type Example struct {
	About string
	Calls []string // mongosh lines
	Want  []string // the reasons reported, "" for none
}

// Markdown renders a rule's page. The same text is committed as
// docs/rules/<ID>.md and printed by `mongoadvisor rules <ID>`.
func Markdown(a *Analyzer, bad, good Example) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# %s %s", a.ID, a.Name)
	line("")
	line("%s. Severity %s, since %s, %s.", a.Title, a.Severity, a.Since, onWords(a))
	for _, part := range []struct{ title, text string }{
		{"What it sees", a.Doc.What}, {"Why it matters", a.Doc.Why}, {"What to do", a.Doc.Fix}, {"When it is silent", a.Doc.Guards},
	} {
		line("\n## %s\n\n%s", part.title, part.text)
	}
	example(&b, "Bad", bad)
	example(&b, "Good", good)
	line("\n## Reasons\n")
	line("| reason | meaning |\n| --- | --- |")
	for _, r := range a.Reasons {
		line("| `%s` | %s |", r.Name, strings.ReplaceAll(r.Doc, "|", `\|`))
	}
	line("\n## Limits\n")
	line("| limit | default | unit | meaning |\n| --- | --- | --- | --- |")
	floor := "the profile's"
	if a.MinCount > 0 {
		floor = fmt.Sprint(a.MinCount)
	}
	line("| `%s.%s` | %s | operations | occurrences before it is reported, where the profile asks for fewer |", a.ID, MinCountLimit, floor)
	for _, l := range a.Limits {
		line("| `%s.%s` | %d | %s | %s |", a.ID, l.Name, l.Default, l.Unit, l.Doc)
	}
	line("\n## Silence it\n")
	line("In the query: `comment: \"mongoadvisor:ignore %s reason\"`. In the configuration: an `ignore` entry with a reason and a date.", a.ID)
	line("\nFrom: %s", a.Doc.Lesson)
	return b.String()
}

func onWords(a *Analyzer) string {
	words := "on by default"
	if a.Off {
		words = "off by default"
	}
	if a.Correctness {
		words += ", reported at the first occurrence in every profile"
	}
	if a.Needs != 0 {
		words += ", needs " + a.Needs.String()
	}
	return words
}

func example(b *strings.Builder, title string, e Example) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n```js\n", title, e.About)
	for i, c := range e.Calls {
		fmt.Fprintln(b, c)
		if e.Want[i] != "" {
			fmt.Fprintf(b, "// finding: %s\n", e.Want[i])
		}
	}
	fmt.Fprintln(b, "```")
}
