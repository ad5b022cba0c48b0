package regex

import (
	"testing"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// serverURI starts the mongod to compare with. Without one the test is skipped,
// which a CI run does not pass over.
func serverURI(t *testing.T) string {
	t.Helper()
	return mongodtest.Start(t).URI()
}
