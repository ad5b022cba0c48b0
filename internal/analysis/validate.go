package analysis

import (
	"errors"
	"fmt"
	"regexp"

	"mongoadvisor/internal/op"
)

var (
	idForm   = regexp.MustCompile(`^[QWASIO]\d\d$`)
	nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// MinCountLimit is the limit every rule has: how often a finding must occur
// before it is reported, when the profile's floor is lower.
const MinCountLimit = "min-count"

// Validate checks a list of rules as a whole: forms, duplicates, documentation,
// known commands.
func Validate(rules []*Analyzer) error {
	var errs []error
	known := map[string]bool{op.Notice: true}
	for _, name := range op.CommandNames() {
		known[name] = true
	}
	ids, names := map[string]bool{}, map[string]bool{}
	for _, a := range rules {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("rule %s: "+format, append([]any{a.ID}, args...)...))
		}
		if !idForm.MatchString(a.ID) || ids[a.ID] {
			bad("its ID must be like Q01 and its own")
		}
		if !nameForm.MatchString(a.Name) || names[a.Name] {
			bad("its name %q must be lower-case words joined by '-' and its own", a.Name)
		}
		ids[a.ID], names[a.Name] = true, true
		if a.Title == "" || a.Since == "" || a.Run == nil {
			bad("title, since and run must be set")
		}
		if a.Doc.What == "" || a.Doc.Why == "" || a.Doc.Fix == "" || a.Doc.Guards == "" || a.Doc.Lesson == "" {
			bad("its page lacks a part")
		}
		if len(a.Reasons) == 0 || len(a.Commands) == 0 {
			bad("it must name its reasons and its commands")
		}
		for _, c := range a.Commands {
			if !known[c] {
				bad("it asks for command %q, which is not known", c)
			}
		}
		for _, l := range a.Limits {
			if !nameForm.MatchString(l.Name) || l.Unit == "" || l.Doc == "" || l.Name == MinCountLimit {
				bad("limit %q needs a unit and a text, and a name of its own", l.Name)
			}
		}
	}
	return errors.Join(errs...)
}
