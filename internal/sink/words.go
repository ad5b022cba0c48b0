package sink

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// wrap writes a paragraph broken at textWidth; first starts its first line,
// rest every other. A word that is longer than a line is broken, too.
func (t *textWriter) wrap(first, rest, text string) {
	line, empty := first, true
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		word := words[i]
		if most := textWidth - columns(rest); columns(word) > most {
			runes := []rune(word) // not a coloured one: those are short
			words = slices.Insert(words, i+1, string(runes[most:]))
			word = string(runes[:most])
		}
		if !empty && columns(line)+1+columns(word) > textWidth {
			t.line("%s", line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	t.line("%s", line)
}

var colourCode = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// columns is how wide a text is on a terminal.
func columns(s string) int {
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = colourCode.ReplaceAllString(s, "")
	}
	return utf8.RuneCountInString(s)
}

// thousands writes a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return thousands(n) + " " + word + "s"
}

func sortedKeys(m map[string]int64) []string { return slices.Sorted(maps.Keys(m)) }
