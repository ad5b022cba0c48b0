package harness

import (
	"strconv"
	"strings"
)

// Samples reads what /metrics answers: values by name with labels, as they are
// written there.
func Samples(text string) map[string]float64 {
	out := map[string]float64{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if i := strings.LastIndexByte(line, ' '); i > 0 && line[0] != '#' {
			if n, err := strconv.ParseFloat(line[i+1:], 64); err == nil {
				out[line[:i]] = n
			}
		}
	}
	return out
}

// Total adds up the series of one metric whose labels contain a text.
func Total(samples map[string]float64, name, label string) (sum float64) {
	for series, n := range samples {
		if base, labels, _ := strings.Cut(series, "{"); base == name && strings.Contains(labels, label) {
			sum += n
		}
	}
	return sum
}
