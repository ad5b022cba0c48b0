package sink

import (
	"fmt"
	"strings"

	"mongoadvisor/internal/store"
)

// maxTestsShown is how many tests of a finding a line names. JSON and SARIF have all
// that are kept.
const maxTestsShown = 5

// during names the tests in which a finding occurred, the most occurrences first:
// "TestX (3), TestY". "" of none.
func during(list []store.Test) string {
	var parts []string
	for i, x := range list {
		if i == maxTestsShown {
			parts = append(parts, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		name := x.Name
		if x.Count > 1 {
			name += " (" + thousands(x.Count) + ")"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ", ")
}

// attribution says in one line where a finding comes from, by the best that is known:
// the tests, else the applications, else the comment.
func attribution(e store.Entry) string {
	if s := during(e.Tests); s != "" {
		return s
	}
	for _, c := range e.Clients {
		if c.App != "" {
			return clients(e.Clients)
		}
	}
	if e.Comment != "" {
		return e.Comment
	}
	return clients(e.Clients)
}
