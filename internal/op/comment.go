package op

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// maxComment bounds a comment in bytes: it is attribution, not a log.
const maxComment = 120

// Comment renders a command's comment for attribution. What looks like an
// identifier is collapsed ("route=/orders/<id>"), and of a comment that is a
// document only the string fields are kept.
func Comment(v bsoncore.Value) string {
	switch v.Type {
	case bsoncore.TypeString:
		return cleanComment(Str(v))
	case bsoncore.TypeEmbeddedDocument:
		var parts []string
		for k, f := range Fields(Doc(v)) {
			if s := Str(f); s != "" && len(parts) < 8 {
				parts = append(parts, Name(k)+"="+s)
			}
		}
		return cleanComment(strings.Join(parts, " "))
	}
	return ""
}

// cleanComment collapses identifiers and control characters.
func cleanComment(s string) string {
	return words(trimWord(s, 4*maxComment), maxComment, commentWord)
}

// trimWord cuts a text at the beginning of a word: half of an identifier does not look
// like one.
func trimWord(s string, end int) string {
	if len(s) <= end {
		return s
	}
	for end > 0 && isToken(s[end-1]) {
		end--
	}
	return s[:end]
}

// commentWord cleans the word s[i:j] of a comment.
func commentWord(s string, i, j int) string {
	if token := s[i:j]; !identifies(token) || isLine(s, i, j) {
		return token
	}
	return "<id>"
}

// words cleans a text word by word, until it has at least most bytes. What stands
// between words stays, but for control characters, which become blanks.
func words(s string, most int, clean func(s string, i, j int) string) string {
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() < most; {
		j := i
		for j < len(s) && isToken(s[j]) {
			j++
		}
		if j > i {
			b.WriteString(clean(s, i, j))
			i = j
			continue
		}
		if s[i] >= ' ' && s[i] < 0x7f {
			b.WriteByte(s[i])
		} else {
			b.WriteByte(' ')
		}
		i++
	}
	return strings.TrimSpace(b.String())
}

// isToken reports whether a byte belongs to one word of a comment. A mail
// address is one word, also when it is written for a URL; a path is several.
func isToken(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || strings.IndexByte("_-@.+%", c) >= 0
}

// bareToken takes away what joins the parts of a word.
var bareToken = strings.NewReplacer(".", "", "-", "", "+", "", "%", "")

// identifies reports whether a word of a comment names one thing and not a
// kind: it has an @, looks like data, or is a number. File names with a line
// ("cart.go") stay.
func identifies(token string) bool {
	if strings.ContainsRune(token, '@') || strings.Contains(token, "%40") {
		return true
	}
	return LooksLikeData(bareToken.Replace(token)) || LooksLikeData(token) && !strings.ContainsAny(token, ".+%")
}

// isLine reports whether s[i:j] is the line of a call site, as in "cart.go:42".
func isLine(s string, i, j int) bool {
	if i < 2 || s[i-1] != ':' || j-i > 5 {
		return false
	}
	for k := i; k < j; k++ {
		if !isDigit(s[k]) {
			return false
		}
	}
	k := i - 2
	for k > 0 && isToken(s[k]) && s[k] != '.' {
		k--
	}
	return s[k] == '.'
}
