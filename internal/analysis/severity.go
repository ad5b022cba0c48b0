package analysis

import (
	"fmt"
	"strings"
)

// Severity orders findings. Critical stands for wrong results, data loss or a
// forecast outage.
type Severity uint8

// The severities, in rising order.
const (
	Info Severity = iota
	Low
	Medium
	High
	Critical
)

var severityNames = [...]string{"info", "low", "medium", "high", "critical"}

// Severities lists all names in rising order, for metrics and help texts.
func Severities() []string { return severityNames[:] }

// String gives the lower-case name.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "severity(?)"
}

// MarshalText gives the name, so that JSON holds words.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name.
func (s *Severity) UnmarshalText(b []byte) error {
	v, err := ParseSeverity(string(b))
	*s = v
	return err
}

// Lower is one step down, not below info.
func (s Severity) Lower() Severity { return max(s, Low) - 1 }

// ParseSeverity reads a name; the error lists what it takes.
func ParseSeverity(name string) (Severity, error) {
	for i, n := range severityNames {
		if n == name {
			return Severity(i), nil
		}
	}
	return 0, fmt.Errorf("severity %q: want one of %s", name, strings.Join(severityNames[:], ", "))
}
