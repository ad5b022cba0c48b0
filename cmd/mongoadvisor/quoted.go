package main

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mongoadvisor/internal/store"
)

// An error in the file quotes the lines around it, and is logged and answered to
// requests: of them only what is no secret is shown.
var (
	quotedLine = regexp.MustCompile(`^(>?\s*\d+ \| \s*)(.*)$`)
	keyLine    = regexp.MustCompile(`^((?:- )*"?([\w.-]+)"?\s*:)(\s+.*|)$`)
	keyWithin  = regexp.MustCompile(`"?([\w.-]+)"?\s*:`)
	hidden     = "…"
)

// withoutSecrets is such an error's text with the values of keys that hold secrets or
// that nobody knows (one may be misspelt), of comments and of what goes on from the line
// before replaced.
func withoutSecrets(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if m := quotedLine.FindStringSubmatch(line); m != nil {
			lines[i] = m[1] + shown(m[2])
		}
	}
	return strings.Join(lines, "\n")
}

// shown is what is shown of a line of the file.
func shown(line string) string {
	m := keyLine.FindStringSubmatch(line)
	switch {
	case m != nil && harmless(m[2]) && harmlessWithin(m[3]):
		return line
	case m != nil && m[3] != "":
		return m[1] + " " + hidden
	case m != nil || line == "":
		return line
	case strings.HasPrefix(line, "- ") && !strings.Contains(line, "://") && harmlessWithin(line):
		return line
	}
	return hidden
}

// harmlessWithin judges a value on one line: a map in braces has keys itself.
func harmlessWithin(value string) bool {
	if !strings.Contains(value, "{") {
		return true
	}
	for _, m := range keyWithin.FindAllStringSubmatch(value, -1) {
		if !harmless(m[1]) {
			return false
		}
	}
	return true
}

// secretKeys are the last parts of keys whose values are secrets or may hold one.
var secretKeys = []string{"secret", "url", "uri", "password", "token"}

// harmless reports whether the value of a key, named by its last part, may be shown.
func harmless(key string) bool { return keyNames()[key] && !slices.Contains(secretKeys, key) }

// keyNames are the last parts of all keys, those of ignore entries included.
var keyNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	add := func(key string, _, _ reflect.Value) {
		for part := range strings.SplitSeq(key, ".") {
			names[part] = true
		}
	}
	c, entry := reflect.ValueOf(*defaults(store.Staging)), reflect.ValueOf(ignore{})
	eachKey("", c, c, add)
	eachKey("", entry, entry, add)
	return names
})
