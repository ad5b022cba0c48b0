package regex

import (
	"math/rand/v2"
	"strings"
)

// generator writes patterns out of the pieces that a prefix reader can trip
// over. Most of its patterns are valid.
type generator struct{ *rand.Rand }

func newGenerator() generator { return generator{rand.New(rand.NewPCG(6, 5))} }

var (
	starts = []string{
		`^`, `^`, `^`, `^`, `^`, `^`, `^`, `^`, `^`, `^`, `^`, `^`, `^a`, `^a`, `^b`, `^ab`, `^ab`, `^é`, `^aé`,
		`\A`, `\A`, `\A`, ``, ``, `.*`, `^.*`, `^^`, ` ^`,
		`(^a`, `(?i)^`, `(?m)^`, `(?s)^`, `(?-i)^`, `^(?i)`, `^(?x)`, `(*UCP)^`, `(?#a)^`,
	}
	ends     = []string{``, ``, ``, `$`, `\Z`, `\z`, `.*`, `.*$`, `.+`}
	literals = []string{
		`a`, `a`, `b`, `b`, `c`, `é`, `日`, `ab`, `bc`, `aé`, ` `, `-`, `"`, `#`, `}`, `]`, `/`, `_`, `{`, `{a}`, `{,2}`,
	}
	escapes = []string{
		`\.`, `\-`, `\|`, `\\`, `\#`, `\ `, `\^`, `\é`, `\/`, `\Qa.b\E`, `\Qb\E`, `\Q\E`, `\Qé\E`, `\Q|\E`, `\Qa\\E`, `\E`,
	}
	classes     = []string{`[ab]`, `[^a]`, `[|]`, `[]a]`, `[\]b]`, `[[:alpha:]]`, `.`, `\d`, `\w`, `\s`, `\p{L}`, `\x61`, `\x{e9}`, `\t`}
	quantifiers = []string{
		`*`, `+`, `?`, `*?`, `+?`, `??`, `*+`, `++`, `?+`, `{0}`, `{0,}`, `{0,1}`, `{0,2}?`, `{1}`, `{1,}`, `{1,2}`, `{2}`, `{00,1}`,
	}
	oddities = []string{
		`(?i)`, `(?-i)`, `(?x)`, `(?s)`, `(?#a)`, `(?#b)`, `\b`, `\B`, `\K`, `^`, `$`, `|`, "# a\n", "\t", `\1`, `\c[`,
	}
	openings   = []string{`(`, `(`, `(?:`, `(?=`, `(?!`, `(?i:`, `(?<n>`, `(?>`, `(?|`}
	faults     = []string{`(`, `)`, `[`, `\`, `*`, `\Qa`, `(?`, `(?<`, `?`, `[[:`, `(?#`, `|*`, `(*a)`, `(?1)`, `(?(1)a|b)`}
	optionSets = []string{
		``, ``, ``, ``, ``, ``, ``, ``, ``, ``, ``, ``, ``, ``, `x`, `x`, `x`, `x`, `s`, `m`, `i`, `u`, `sx`, `ix`, `ms`,
	}
)

func (g generator) pick(from []string) string { return from[g.IntN(len(from))] }

func (g generator) pattern() (pattern, opts string) {
	var s strings.Builder
	s.WriteString(g.pick(starts))
	for range g.IntN(5) {
		s.WriteString(g.item(2))
	}
	s.WriteString(g.pick(ends))
	return s.String(), g.pick(optionSets)
}

// item is one piece, often repeated, with at most depth groups around another.
func (g generator) item(depth int) string {
	var piece string
	switch n := g.IntN(100); {
	case n < 50:
		piece = g.pick(literals)
	case n < 65:
		piece = g.pick(escapes)
	case n < 75:
		piece = g.pick(classes)
	case n < 86 && depth > 0:
		piece = g.pick(openings) + g.item(depth-1)
		if g.IntN(4) == 0 {
			piece += "|" + g.item(depth-1)
		}
		piece += ")"
	case n < 98:
		piece = g.pick(oddities)
	default:
		piece = g.pick(faults)
	}
	if g.IntN(100) < 30 {
		if g.IntN(6) == 0 {
			piece += g.pick([]string{` `, `(?#a)`, `\E`, `\Q\E`, "# a\n"})
		}
		piece += g.pick(quantifiers)
	}
	return piece
}

// subjects are strings that such patterns may match: all of up to three
// characters, and some with the rarer ones.
func subjects() []string {
	letters := []string{"a", "b", "c", "é", "日"}
	all := []string{"", " ", "#", "-", "a-", "a.b", "{a}", "a{a}", "a{,2}", "|", "ab|", `\`, `a\`, "a\nab", "\nab", "A", "AB", "É", "/a", "a b", "1", "a1", "}", "]", "_", `"`}
	last := []string{""}
	for range 3 {
		var longer []string
		for _, s := range last {
			for _, c := range letters {
				longer = append(longer, s+c)
			}
		}
		all = append(all, longer...)
		last = longer
	}
	return all
}
