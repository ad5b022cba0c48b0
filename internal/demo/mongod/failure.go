package mongod

import (
	"errors"
	"fmt"
	"strings"
)

// errPortTaken means that somebody else listens on the port.
var errPortTaken = errors.New("port is taken")

// What mongod and the loader of programs say when a start fails.
const (
	missingLibrary = "error while loading shared libraries: "
	addressInUse   = "Address already in use"
)

// failure says why the program ended before it answered. It has ended.
func (s *server) failure() error {
	log := s.log.String()
	if _, rest, ok := strings.Cut(log, missingLibrary); ok && s.cmd.ProcessState.ExitCode() == 127 {
		library, _, _ := strings.Cut(rest, ":")
		return fmt.Errorf("%w: it needs the library %s, which is not installed; on Debian and Ubuntu: "+
			"apt-get install --no-install-recommends libcurl4", ErrUnavailable, library)
	}
	if strings.Contains(log, addressInUse) {
		return errPortTaken
	}
	return fmt.Errorf("mongod ended before it answered (%s); it said last:\n%s", s.cmd.ProcessState, lastLines(log, 5))
}

// lastLines are the last n lines that say something.
func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
