package regex

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSkeleton(t *testing.T) {
	for pattern, want := range map[string]string{
		`^pune$`:                `^<4>$`,
		`(?i)^ab\d+`:            `(?i)^<2>\d+`,
		`^é日\.x`:                `^<4>`,
		`^\Qa.b\Ec`:             `^<4>`,
		`[abc][^]x\]]y`:         `[…][…]<1>`,
		`a{3}b{12,}?c{0,1}+`:    `<1>{n}<1>{n}?<1>{0,n}+`,
		`a{x}`:                  `<4>`,
		`(?<city>pune)\k<city>`: `(?<><4>)\1`,
		`(?P<city>a)(?P=city)`:  `(?<><1>)\1`,
		`(?'city'a)(?&city)`:    `(?<><1>)\1`,
		`(?#secret)a`:           `<1>`,
		`\x{1F600}\x41\t`:       `<3>`,
		`\p{Greek}\PL`:          `\p\P`,
		`(a)\12\g{34}`:          `(<1>)\1\1`,
		`(*MARK:secret)a|b`:     `(*)<1>|<1>`,
		`(?=a)(?<!b)(?>c)`:      `(?=<1>)(?<!<1>)(?><1>)`,
		`(?(secret)a|b)`:        `(?()<1>|<1>)`,
		`(?xi-s:a b)`:           `(?ix-s:<2>)`,
		`(?x)a # secret`:        `(?x)<1>`,
		`[secret`:               `…`,
		`abc\`:                  `<3>…`,
		``:                      ``,
	} {
		if got := Skeleton(pattern, true); got != want {
			t.Errorf("Skeleton(%q) = %q, want %q", pattern, got, want)
		}
	}
	if got := Skeleton(`^pune$`, false); got != `^<>$` {
		t.Errorf("without lengths: %q", got)
	}
}

func TestSkeletonIsBounded(t *testing.T) {
	for _, piece := range []string{"a.", "a", "[é]", `\x{`, `\k<`, "[[:", "(?<", "(?(", "(*", "{1", `\Q`, "(?#"} {
		pattern := strings.Repeat(piece, 1<<20)
		got := Skeleton(pattern, true)
		if n := utf8.RuneCountInString(got); n > maxSkeleton+1 {
			t.Errorf("%d characters: %s", n, got)
		}
		Classify(pattern[:maxPattern/len(piece)*len(piece)], "") // in no time
	}
}

// surroundings are places where a value can stand in a pattern; % is the value.
var surroundings = []string{
	`%`, `^%$`, `.*%.*`, `\Q%\E`, `[%]`, `[^%]x`, `[[:alpha:]%]`, `(%)`, `(?:%)`, `(?i:%)`, `(?=%)`, `(?<!%)`,
	`(?#%)`, `(?<%>a)`, `(?P<%>a)`, `(?'%'a)`, `\k<%>`, `\k{%}`, `\k'%'`, `\g{%}`, `(?P=%)`, `(?P>%)`, `(?&%)`,
	`(?(%)a)`, `(?(<%>)a)`, `(*MARK:%)`, `(*%:a)`, `(*%)`, `(?%)`, `(?%:a)`, `(?%`, `(?<%`, `(?(%`, `(*%`, `[%`, `\Q%`,
	`\x{%}`, `\p{%}`, `\P{^%}`, `\o{%}`, `\x%`, `\p%`, `\g%`, `\c%`, `\0%`, `\1%`, `\k%`, `\N{%}`, `\%`, `a{%}`, `a{%,}`, `a{1,%}`,
	"(?x)a #%\n", `(?x) % `, `%|%`, `%+`, `(?C%)`, `(?C"%")a`, `(?R%)`, `(?1%)`, `\u%`,
}

// TestSkeletonHidesValues builds patterns around a value and looks for pieces
// of it in the outcome.
func TestSkeletonHidesValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[A-Za-z0-9é日]{4,14}`).Draw(t, "value")
		places := rapid.SliceOfN(rapid.SampledFrom(surroundings), 1, 4).Draw(t, "places")
		pattern := strings.ReplaceAll(strings.Join(places, ""), "%", value)
		for _, lengths := range []bool{true, false} {
			got := Skeleton(pattern, lengths)
			runes := []rune(value)
			for i := range len(runes) - 2 {
				piece := string(runes[i : i+3])
				if strings.Trim(piece, "imsx") == "" {
					continue // what stays of (?imsx) is a choice of four letters
				}
				if strings.Contains(got, piece) {
					t.Fatalf("Skeleton(%q) = %q keeps %q", pattern, got, piece)
				}
			}
		}
	})
}
