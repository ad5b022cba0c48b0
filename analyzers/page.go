package analyzers

import (
	"embed"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/analysis/cases"
)

//go:embed testdata/*/bad.json testdata/*/good.json
var examples embed.FS

// Page renders a rule's page with its tested examples.
func Page(a *analysis.Analyzer) (string, error) {
	bad, err := loadExample(a.ID, "bad.json")
	if err != nil {
		return "", err
	}
	good, err := loadExample(a.ID, "good.json")
	if err != nil {
		return "", err
	}
	return analysis.Markdown(a, bad, good), nil
}

func loadExample(id, name string) (analysis.Example, error) {
	raw, err := examples.ReadFile("testdata/" + id + "/" + name)
	if err != nil {
		return analysis.Example{}, err
	}
	f, err := cases.Parse(raw)
	if err != nil {
		return analysis.Example{}, err
	}
	e := analysis.Example{About: f.About}
	for _, step := range f.Operations {
		var want []string
		for _, w := range step.Want {
			text := w.Reason
			if len(w.Fields) > 0 {
				text += " on " + strings.Join(w.Fields, ", ")
			}
			want = append(want, text)
		}
		text := strings.Join(want, "; ")
		if step.Nth > 0 { // one of many calls that differ in their values
			if last := len(e.Want) - 1; !strings.Contains(e.Want[last], text) {
				e.Want[last] = strings.TrimPrefix(e.Want[last]+"; "+text, "; ")
			}
			continue
		}
		e.Calls = append(e.Calls, step.Call())
		e.Want = append(e.Want, text)
	}
	return e, nil
}
