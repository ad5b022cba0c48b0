package mongolog_test

import (
	"strings"
	"testing"
	"time"

	"mongoadvisor/internal/source/mongolog"
)

// TestHostileLogs: what nobody writes is read in a time that grows with its length,
// and is counted.
func TestHostileLogs(t *testing.T) {
	const prefix = "2019-06-18T11:58:58.382+0100 I COMMAND  [conn1] command a.b "
	for name, text := range map[string]string{
		"blank parts":       `{"log":"` + strings.Repeat(" ", 17_000) + `"}` + "\n" + `{"log":"\n"}`,
		"blank last part":   `{"log":"` + strings.Repeat(" ", 17_000) + `"}`,
		"string over lines": `{"a": "` + "\n" + strings.Repeat("}\n", 200_000),
		"names":             prefix + strings.Repeat("appName: ", 300_000) + "1ms",
		"errors":            prefix + strings.Repeat("exception: code: ", 60_000) + "1ms",
		"keys":              prefix + "command: {" + strings.Repeat("a:1,", 500_000) + "} 1ms",
	} {
		l := mongolog.New(mongolog.Config{})
		begun := time.Now()
		if err := l.Read(strings.NewReader(slow(9) + "\n" + text + "\n")); err != nil {
			t.Error(name, err)
		}
		if took := time.Since(begun); took > 5*time.Second { // each took a minute or more, and takes a tenth of a second
			t.Errorf("%s: %v", name, took)
		}
		if c := l.Coverage(); c.Decoded != 1 || c.Records < 2 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
