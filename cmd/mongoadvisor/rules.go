package main

import (
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
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
				printf(w, "ID\tNAME\tSEVERITY\tON\tTITLE\n")
				for _, a := range rules {
					printf(w, "%s\t%s\t%s\t%s\t%s\n", a.ID, a.Name, a.Severity, map[bool]string{true: "no", false: "yes"}[a.Off], a.Title)
				}
				return w.Flush()
			case 1:
				for _, a := range rules {
					if strings.EqualFold(a.ID, args[0]) || a.Name == args[0] {
						page, err := analyzers.Page(a)
						printf(cmd.OutOrStdout(), "%s", page)
						return err
					}
				}
				return usage("%q is no rule; `mongoadvisor rules` lists them", args[0])
			}
			return usage("want one rule at most; see `%s --help`", cmd.CommandPath())
		},
	}
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
	return out
}
