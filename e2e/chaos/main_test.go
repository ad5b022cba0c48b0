package chaos

import (
	"os"
	"testing"

	"mongoadvisor/e2e/harness"
)

var program string // path of mongoadvisor

func TestMain(m *testing.M) { os.Exit(harness.ForTests("../..", &program, m.Run)) }
