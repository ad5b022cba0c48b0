package sink

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxMarkdown is how many findings the table has; the summary of a step that is
// longer than a mebibyte is not shown at all.
const maxMarkdown = 50

// Markdown writes the report as a table for the summary of a step in GitHub Actions:
// coverage first, then the open findings, the worst first.
func (r *Report) Markdown(w io.Writer) error {
	r = r.clean()
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "### mongoadvisor: %s\n\n", cell(count(r.Findings).words(r.Totals)))
	if why := incomplete(r); why != "" {
		fmt.Fprintf(out, "**%s.** ", cell(why))
	}
	fmt.Fprintf(out, "%s.\n", cell(understood(r.Coverage)))
	for _, p := range coverage(r) {
		fmt.Fprintf(out, "- %s\n", cell(p.words()))
	}
	for _, s := range slices.Concat(notJudged(r.NotJudged), fewRemarks(r)) {
		fmt.Fprintf(out, "- %s\n", cell(s))
	}
	n := 0
	for _, e := range r.Findings {
		if !open(e) {
			continue
		}
		if n++; n == 1 {
			fmt.Fprint(out, "\n| severity | rule | where | what | times | in | fix |\n| --- | --- | --- | --- | ---: | --- | --- |\n")
		}
		if n <= maxMarkdown {
			fmt.Fprintf(out, "| %s | %s %s | %s | %s | %s | %s | %s |\n", e.Severity, cell(e.Rule), cell(e.Name), cell(place(e)), cell(short(e.Message, 300)), thousands(e.Count), cell(short(attribution(e), 300)), cell(short(e.Fix.Text, 300)))
		}
	}
	if n > maxMarkdown {
		fmt.Fprintf(out, "\n%d more are in the report.\n", n-maxMarkdown)
	}
	if n == 0 {
		fmt.Fprint(out, "\nNo open findings.\n")
	}
	return out.Flush()
}

// cell is a text that a table of Markdown shows as it is.
func cell(s string) string {
	return markdownEscapes.Replace(strings.Join(strings.Fields(s), " "))
}

var markdownEscapes = strings.NewReplacer(
	"\\", "\\\\", "|", "\\|", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<", "&lt;", ">", "&gt;", "&", "&amp;", "#", "\\#", "$", "\\$", "@", "&#64;", "~", "\\~",
)
