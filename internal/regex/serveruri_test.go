package regex

import (
	"os"
	"testing"
)

// serverURI names the mongod to compare with. Without one the test is skipped,
// which a CI run must not pass over.
func serverURI(t *testing.T) string {
	t.Helper()
	uri := os.Getenv("MONGOADVISOR_TEST_URI")
	switch {
	case uri != "":
	case os.Getenv("CI") != "":
		t.Fatal("no mongod to compare with: set MONGOADVISOR_TEST_URI")
	default:
		t.Skip("no mongod to compare with: set MONGOADVISOR_TEST_URI to run this test")
	}
	return uri
}
