package regex

import "testing"

// TestReasons holds the table of reasons: what a report says about each kind of
// pattern.
func TestReasons(t *testing.T) {
	for _, tt := range []struct {
		pattern, options string
		prefix           string
		reason           Reason
	}{
		{`^abc`, "", "abc", OK},
		{`^abc.*`, "", "abc", OK},
		{`^abc.*$`, "", "abc", OK},
		{`^abc$`, "", "abc", OK},
		{`^abc.+`, "", "abc", OK},
		{`^a`, "", "a", OK},
		{`^a.*`, "", "a", OK},
		{`^ab(?i)`, "", "ab", OK},
		{`^abc(?i)`, "", "abc", OK},
		{`\Aabc`, "", "abc", OK},
		{`\Aabc`, "m", "abc", OK},
		{`^abc`, "s", "abc", OK},
		{`^ abc`, "x", "abc", OK},
		{`^a\.b`, "", "a.b", OK},
		{`^\Qa.b\E`, "", "a.b", OK},
		{`^a\|b`, "", "a|b", OK},
		{`^ab?c?`, "", "a", ShortPrefix},

		{`abc`, "", "", Unanchored},
		{`.*abc`, "", "", Unanchored},
		{`abc$`, "", "", Unanchored},
		{`abc`, "m", "", Unanchored},
		{`abc|^def`, "", "", Unanchored},
		{``, "", "", Unanchored},
		{` ^abc`, "x", "", Unanchored},
		{`(?s)^abc`, "", "", Unanchored},
		{`(?-i)^abc`, "", "", Unanchored},
		{`(?=^abc)`, "", "", Unanchored},
		{`(?#note)^abc`, "", "", Unanchored},

		{`^.*x`, "", "", EmptyPrefix},
		{`^`, "", "", EmptyPrefix},
		{`^a*`, "", "", EmptyPrefix},
		{`^a?bc`, "", "", EmptyPrefix},
		{`^^abc`, "", "", EmptyPrefix},
		{`\A^abc`, "", "", EmptyPrefix},
		{`^\babc`, "", "", EmptyPrefix},
		{`^\x61bc`, "", "", EmptyPrefix},

		{`^(abc)`, "", "", GroupBeforeLiteral},
		{`^(?:abc)`, "", "", GroupBeforeLiteral},
		{`^(?=abc)`, "", "", GroupBeforeLiteral},
		{`^(?#note)abc`, "", "", GroupBeforeLiteral},
		{`^(?x)abc`, "", "", GroupBeforeLiteral},
		{`(^abc)`, "", "", GroupBeforeLiteral},
		{`(?:^abc)`, "", "", GroupBeforeLiteral},

		{`^[a]b`, "", "", ClassBeforeLiteral},
		{`^\d`, "", "", ClassBeforeLiteral},
		{`^\p{L}bc`, "", "", ClassBeforeLiteral},

		{`^a|^b`, "", "", Alternation},
		{`^abc|abd`, "", "", Alternation},
		{`^ab[|]c`, "", "", Alternation},
		{`^ab\Q|\Ec`, "", "", Alternation},
		{`^ab(c|d)`, "", "", Alternation},
		{`(^ab|^cd)`, "", "", Alternation},
		{`^ab\\|c`, "", "", Alternation},

		{`^abc`, "m", "", Multiline},
		{`(?m)^abc`, "", "", Multiline},
		{`^abc`, "mu", "", Multiline},

		{`^abc`, "i", "", CaseInsensitive},
		{`abc`, "i", "", CaseInsensitive},
		{`^a|^b`, "i", "", CaseInsensitive},
		{`^abc`, "im", "", CaseInsensitive},
		{`(?i)^abc`, "", "", CaseInsensitive},
		{`^(?i)abc`, "", "", CaseInsensitive},
		{`^(?i:abc)`, "", "", CaseInsensitive},
		{`(?i).*abc`, "", "", CaseInsensitive},
		{`(?i)(?-i)^abc`, "", "", Unanchored},

		{`^abc`, "u", "", FlagBlocksPrefix},
		{`(*UCP)^abc`, "", "", FlagBlocksPrefix},

		{`^ab*c`, "", "a", ShortPrefix},
		{`^ab?c`, "", "a", ShortPrefix},
		{`^a+bc`, "", "a", ShortPrefix},
		{`^a{1}bc`, "", "a", ShortPrefix},
		{`^a(?=b)`, "", "a", ShortPrefix},
		{`^a(?i)bc`, "", "a", ShortPrefix},
		{`^a[0-9]`, "", "a", ShortPrefix},
		{`^a\d`, "", "a", ShortPrefix},
		{`^é(b)`, "", "é", ShortPrefix},
		{`^abc?`, "", "ab", OK},

		{`^ab{0,1}c`, "", "ab", OptionalQuantifier},
		{`^ab{0}c`, "", "ab", OptionalQuantifier},
		{`^ab{0,}c`, "", "ab", OptionalQuantifier},
		{`^a{0,1}bc`, "", "a", OptionalQuantifier},
		{`^\Qab\E{0,1}c`, "", "ab", OptionalQuantifier},
		{`^ab {0,1}c`, "x", "ab", OptionalQuantifier},
		{`^ab\E?c`, "", "ab", OptionalQuantifier},
		{`^ab(?#note)?c`, "", "ab", OptionalQuantifier},
		{`^aé?b`, "", "a\xc3", OptionalQuantifier},
		{`^é*b`, "", "\xc3", OptionalQuantifier},
		{`^ab{1,2}c`, "", "ab", OK},
		{`^ab{,2}c`, "", "ab", OK},
		{`^ab{x}c`, "", "ab", OK},
		{`^ab\Q\E?c`, "", "a", ShortPrefix},

		{`(`, "", "", Invalid},
		{`^abc)`, "", "", Invalid},
		{`^[abc`, "", "", Invalid},
		{`^*abc`, "", "", Invalid},
		{`^abc\`, "", "", Invalid},
		{`^abc`, "g", "", Invalid},
		{"^a\x00c", "", "", Invalid},
		{"^a\xffc", "", "", Invalid},
	} {
		got := Classify(tt.pattern, tt.options)
		if got.Prefix != tt.prefix || got.Reason != tt.reason {
			t.Errorf("Classify(%q, %q) = %q %s, want %q %s",
				tt.pattern, tt.options, got.Prefix, got.Reason, tt.prefix, tt.reason)
		}
	}
}
