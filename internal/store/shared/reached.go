package shared

import (
	"regexp"
	"strings"
)

// notReached is an error of a command for which no server was found.
type notReached struct {
	words string
	error // the driver's
}

func (e *notReached) Error() string { return e.words }
func (e *notReached) Unwrap() error { return e.error }

// member is how the driver's error tells of a server that it could not use.
var member = regexp.MustCompile(`Addr: ([^,{}]+),[^{}]*?Last error: ([^{}]*[^{} ,]),? \}`)

// worded says of a failed search for a server which ones were asked, and what became
// of it, in the place of the driver's account of its state.
func worded(err error) error {
	if err == nil || !strings.Contains(err.Error(), "server selection error") { // its type is none of the driver's API
		return err
	}
	var said []string
	for _, m := range member.FindAllStringSubmatch(err.Error(), -1) {
		said = append(said, m[1]+": "+m[2])
	}
	if said == nil {
		return err
	}
	return &notReached{"no server can be used: " + strings.Join(said, "; "), err}
}
