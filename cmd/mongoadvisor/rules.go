package main

import (
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
)

func newRules() *cobra.Command {
	return &cobra.Command{
		Use:   "rules [ID or name]",
		Short: "List the rules, or show one",
		Example: `  mongoadvisor rules
  mongoadvisor rules Q02
  mongoadvisor rules unbounded-array-growth`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, a := range analyzers.All() {
				ids = append(ids, a.ID+"\t"+a.Title)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			rules := analyzers.All()
			switch len(args) {
			case 0:
				return listRules(cmd.OutOrStdout())
			case 1:
				for _, a := range rules {
					if strings.EqualFold(a.ID, args[0]) || a.Name == args[0] {
						page, err := analyzers.Page(a)
						printf(cmd.OutOrStdout(), "%s", page)
						return err
					}
				}
				for _, a := range analyzers.NeedInspection() {
					if strings.EqualFold(a.ID, args[0]) || a.Name == args[0] {
						return usage("%s %s needs %s, which no traffic carries: it has no page yet", a.ID, a.Name, a.Needs)
					}
				}
				return usage("%q is no rule; `mongoadvisor rules` lists them", args[0])
			}
			return usage("want one rule at most; see `%s --help`", cmd.CommandPath())
		},
	}
}

// listRules writes the whole catalogue: severity, what a rule needs, and whether
// it is on. It fits in 80 columns.
func listRules(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	printf(w, "ID\tNAME\tSEVERITY\tON\tNEEDS\n")
	for _, a := range analyzers.All() {
		needs := a.Needs.String()
		if needs == "" {
			needs = "requests"
		}
		printf(w, "%s\t%s\t%s\t%s\t%s\n", a.ID, a.Name, a.Severity, map[bool]string{true: "no", false: "yes"}[a.Off], needs)
	}
	for _, a := range analyzers.NeedInspection() {
		printf(w, "%s\t%s\t%s\t%s\t%s\n", a.ID, a.Name, a.Severity, "no", a.Needs)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	printf(out, "\n`mongoadvisor rules Q02` shows one with tested examples. --rules +ID switches one\non, -ID off. What needs a server inspection is not judged from traffic.\n")
	return nil
}

// describe lists all rules for the API; running are those in force.
func describe(all, running []*analysis.Analyzer) any {
	on := map[string]bool{}
	for _, a := range running {
		on[a.ID] = true
	}
	type rule struct {
		ID       string            `json:"id"`
		Name     string            `json:"name"`
		Title    string            `json:"title"`
		Severity analysis.Severity `json:"severity"`
		On       bool              `json:"on"`
		Needs    string            `json:"needs,omitempty"`
	}
	out := []rule{}
	for _, a := range all {
		out = append(out, rule{a.ID, a.Name, a.Title, a.Severity, on[a.ID], a.Needs.String()})
	}
	for _, a := range analyzers.NeedInspection() {
		out = append(out, rule{a.ID, a.Name, a.Title, a.Severity, false, a.Needs.String()})
	}
	return out
}
