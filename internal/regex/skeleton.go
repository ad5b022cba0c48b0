package regex

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxSkeleton is the longest skeleton in characters, before the mark of the cut.
const maxSkeleton = 120

// Skeleton renders the structure of a pattern without anything that could be
// data: a run of literal characters becomes <n> with its length, or <> when
// lengths is false, for hashes that must not depend on the value. Classes become
// […], counted quantifiers {n} ({0,n} when they allow none), back references \1;
// names, comments and the arguments of verbs are left out. It accepts any
// string, valid or not, and ends in … when it was cut. Of a pattern longer than
// mongod accepts it reads the start only.
func Skeleton(pattern string, lengths bool) string {
	l := newLexer(pattern[:min(len(pattern), maxPattern)], "")
	var out strings.Builder
	run, size := 0, 0
	add := func(piece string) {
		out.WriteString(piece)
		size += utf8.RuneCountInString(piece)
	}
	flush := func() {
		switch {
		case run == 0:
		case lengths:
			add("<" + strconv.Itoa(run) + ">")
		default:
			add("<>")
		}
		run = 0
	}
	for size <= maxSkeleton {
		t, ok := l.next()
		if !ok {
			flush()
			break
		}
		if t.kind == literal || t.kind == coded {
			run++
			continue
		}
		if piece := bones(pattern[t.pos:t.end], t); piece != "" {
			flush()
			add(piece)
		}
	}
	return cut(out.String(), size)
}

func cut(s string, size int) string {
	if size <= maxSkeleton {
		return s
	}
	return string([]rune(s)[:maxSkeleton]) + "…"
}

// bones renders one token that is no literal.
func bones(s string, t token) string {
	switch t.kind {
	case blank:
		return ""
	case class:
		return "[…]"
	case backref:
		return `\1`
	case verb:
		return "(*)"
	case escape:
		return s[:2]
	case quantifier:
		return repetition(s, t)
	case setFlags:
		return "(?" + flagLetters(s) + ")"
	case openGroup:
		return opening(s)
	case broken:
		return "…"
	}
	return s // ^ $ . | ) \A \Z \z \b \B \G \K
}

func repetition(s string, t token) string {
	if s[0] != '{' {
		return s
	}
	suffix := s[strings.IndexByte(s, '}')+1:]
	if t.min == 0 {
		return "{0,n}" + suffix
	}
	return "{n}" + suffix
}

// opening renders the start of a group without its name or condition.
func opening(s string) string {
	for _, o := range lookaround {
		if s == "("+o {
			return s
		}
	}
	switch {
	case s == "(", s == "(?:":
		return s
	case strings.HasPrefix(s, "(?<"), strings.HasPrefix(s, "(?P<"), strings.HasPrefix(s, "(?'"):
		return "(?<>"
	case strings.HasPrefix(s, "(?("):
		return "(?()"
	case strings.HasPrefix(s, "(*"):
		return "(*:"
	case strings.HasSuffix(s, ":"):
		return "(?" + flagLetters(s) + ":"
	}
	return "(?"
}

// flagLetters lists the known flags of (?i-s) in a fixed order, so that no
// text in their place survives.
func flagLetters(s string) string {
	on, off, _ := strings.Cut(s, "-")
	letters := pick(on)
	if removed := pick(off); removed != "" {
		letters += "-" + removed
	}
	return letters
}

func pick(s string) string {
	var out strings.Builder
	for _, c := range "imsx" {
		if strings.ContainsRune(s, c) {
			out.WriteRune(c)
		}
	}
	return out.String()
}
