package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

// keyOfError is the key that an error of check begins with, as `ignore[0].until "x": …`.
var keyOfError = regexp.MustCompile(`^[a-z][a-z.-]*[a-z](\[\d+\](\.[a-z]+)?)?`)

// located adds to an error of check where in the file the value stands, if it comes
// from there.
func (c *config) located(err error) error {
	if err == nil {
		return nil
	}
	if lines := c.place(err); lines != "" {
		return usage("config.file %s: %w%s", c.file, err, lines)
	}
	return err
}

// place is the lines of the file that an error of check is about, each after a line's
// end; "" when the value is not from there.
func (c *config) place(err error) string {
	key := keyOfError.FindString(err.Error())
	if c.file == "" || key == "" || c.overridden(key) {
		return ""
	}
	raw, err := os.ReadFile(c.file)
	if err != nil {
		return ""
	}
	path, err := yaml.PathString(yamlPath(key))
	if err != nil {
		return ""
	}
	lines, err := path.AnnotateSource(raw, false)
	if err != nil { // it is not there
		return ""
	}
	return "\n" + strings.TrimRight(withoutSecrets(string(lines)), "\n")
}

// overridden reports whether a flag or the environment gives a key.
func (c *config) overridden(key string) bool {
	_, one := c.given.set[key]
	_, list := c.given.lists[key]
	_, env := os.LookupEnv(envName(key))
	_, envFile := os.LookupEnv(envName(key) + "_FILE")
	return one || list || env || envFile
}

// yamlPath is a key as the YAML library's paths have it.
func yamlPath(key string) string {
	name, rest, _ := strings.Cut(key, "[")
	if rest != "" {
		rest = "[" + rest
	}
	return "$.'" + strings.ReplaceAll(name, ".", "'.'") + "'" + rest
}
