package store

import (
	"os"
	"regexp"
	"strings"
)

var fingerprintKey = regexp.MustCompile(`"fingerprint"\s*:\s*"([0-9a-f]{16})"`)

// BaselineLines are the lines of the findings in a baseline file, from 1, by
// fingerprint. They are looked for as text: somebody may have formatted the file.
func BaselineLines(path string) (map[string]int, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out, number := map[string]int{}, 0
	for line := range strings.Lines(string(raw)) {
		number++
		for _, m := range fingerprintKey.FindAllStringSubmatch(line, -1) {
			if out[m[1]] == 0 {
				out[m[1]] = number
			}
		}
	}
	return out, nil
}
