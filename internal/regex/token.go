package regex

// kind is what a piece of a pattern does.
type kind uint8

const (
	literal     kind = iota // a character that matches itself
	coded                   // a character written as \t, \x41, \cA: a literal to PCRE, the end of the prefix to mongod
	blank                   // matches nothing and is skipped: \E, (?#...), blanks and # comments under x
	dot                     // .
	class                   // [...]
	escape                  // \d, \p{..}: a class written with a backslash
	assertion               // \b, \B, \G, \K
	backref                 // \1, \k<..>, (?P=..), (?R), (?1)
	startAnchor             // ^ or \A
	endAnchor               // $, \Z, \z
	quantifier              // * + ? {n,m} with their ? or +
	alternation             // |
	openGroup               // (, (?:, (?=, (?<name>, (?i:
	closeGroup              // )
	setFlags                // (?i)
	verb                    // (*UCP)
	broken                  // unfinished: the pattern ends in it
)

// token is one piece of a pattern, pattern[pos:end].
type token struct {
	kind     kind
	pos, end int
	r        rune // literal: the character
	min      int  // quantifier: the fewest repetitions
	plain    bool // openGroup: only encloses, as ( and (?: do
	fold     bool // (?i) is in force here, by option or inline
	lines    bool // (?m) is in force here, by option or inline
}
