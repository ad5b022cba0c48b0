package main

import (
	"path/filepath"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/sink"
)

// formatOf is the format that the name of a file asks for, when no other is asked for.
func formatOf(output string) string {
	switch strings.ToLower(filepath.Ext(output)) {
	case ".json":
		return "json"
	case ".html", ".htm":
		return "html"
	case ".xml":
		return "junit"
	case ".sarif":
		return "sarif"
	}
	return "text"
}

func formatHelp() string {
	return strings.Join(sink.Formats, ", ") + " (default: by the end of --output, else text)"
}

// testFloor is the severity from which on a finding is a failed test of a JUnit
// report: that of --fail-on; without it all but info, which is for knowing.
func (c *config) testFloor() analysis.Severity {
	if floor, err := analysis.ParseSeverity(c.FailOn); err == nil {
		return floor
	}
	return analysis.Low
}
