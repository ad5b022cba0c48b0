package main

import (
	"testing"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

func TestFormatByTheNameOfTheFile(t *testing.T) {
	for output, want := range map[string]string{
		"": "text", "report": "text", "report.txt": "text", "a.b/report": "text", "report.json": "json", "r.HTML": "html", "r.htm": "html",
		"junit.xml": "junit", "out/r.sarif": "sarif", "r.sarif.json": "json", "/dev/stdout": "text",
	} {
		if got := formatOf(output); got != want {
			t.Errorf("%q: %s, want %s", output, got, want)
		}
		c := defaults(store.CI)
		c.Output = output
		if err := c.check(); err != nil || c.Format != want {
			t.Errorf("%q: %s, %v", output, c.Format, err)
		}
		c.Format = "github"
		if err := c.check(); err != nil || c.Format != "github" {
			t.Errorf("%q: a format that was given became %s, %v", output, c.Format, err)
		}
	}
}

func TestTestFloor(t *testing.T) {
	for failOn, want := range map[string]analysis.Severity{"": analysis.Low, "info": analysis.Info, "critical": analysis.Critical} {
		c := defaults(store.CI)
		if c.FailOn = failOn; c.testFloor() != want {
			t.Errorf("%q: %s", failOn, c.testFloor())
		}
	}
}
