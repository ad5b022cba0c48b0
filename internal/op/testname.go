package op

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// MaxTestName bounds the name of a test in bytes. Names that say what is expected are
// sentences.
const MaxTestName = 200

// NameOfTest cleans the name of a test as [Comment] does a comment, but for what names of
// tests have and comments rarely: they are long, and number their cases. It returns a
// copy.
func NameOfTest(s string) string {
	out := strings.ToValidUTF8(words(trimWord(s, 4*MaxTestName), MaxTestName, testWord), "")
	if end := MaxTestName; len(out) > end {
		for !utf8.RuneStart(out[end]) {
			end--
		}
		out = out[:end]
	}
	return strings.Clone(out)
}

// testWord cleans the word s[i:j] of a test's name.
func testWord(s string, i, j int) string {
	token := s[i:j]
	if !identifies(token) || isLine(s, i, j) {
		return token
	}
	if strings.ContainsRune(token, '@') || strings.Contains(token, "%40") || !namesTest(token) && drawn(bareToken.Replace(token)) {
		return "<id>"
	}
	var b strings.Builder
	for start := 0; start < len(token); {
		end := start
		for end < len(token) && strings.IndexByte("_-.+%", token[end]) < 0 {
			end++
		}
		part, ok := testPart(token[start:end])
		if !ok {
			return "<id>"
		}
		b.WriteString(part)
		if end < len(token) {
			b.WriteByte(token[end])
		}
		start = end + 1
	}
	return b.String()
}

// namesTest reports whether a word is what a source file calls a test, and so no data.
func namesTest(s string) bool { return len(s) > 4 && strings.EqualFold(s[:4], "test") }

// drawn reports whether a word is made of random characters.
func drawn(s string) bool {
	digits, hex := 0, strings.Trim(s, "0123456789abcdefABCDEF") == ""
	for i := range len(s) {
		if isDigit(s[i]) {
			digits++
		}
	}
	return hex && digits > 0 && len(s) >= 8 || random(s, digits) && !sentence(s)
}

// testPart reports whether a part of a name reads as words and small numbers: as
// "findsByEmail", "case12" and "3" do, and keys and tokens do not. A longer number, as of
// a ticket or a user, is left out.
func testPart(s string) (string, bool) {
	if namesTest(s) {
		return longNumber.ReplaceAllString(s, "<n>"), true
	}
	word := strings.TrimRight(s, "0123456789")
	switch {
	case !strings.ContainsAny(word, "0123456789"): // at most one number, at the end
		return longNumber.ReplaceAllString(s, "<n>"), true
	case sentence(s):
		return s, true
	}
	return s, !LooksLikeData(s)
}

// sentence tells a long name with a number or two: a random word of that length has more.
func sentence(s string) bool {
	return len(s) > maxName && len(digitRuns.FindAllString(s, 3)) <= 2 && !longNumber.MatchString(s)
}

var (
	digitRuns  = regexp.MustCompile("[0-9]+")
	longNumber = regexp.MustCompile("[0-9]{4,}")
)
