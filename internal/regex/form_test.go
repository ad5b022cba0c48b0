package regex

import (
	"strings"
	"testing"
)

func TestForm(t *testing.T) {
	for _, tt := range []struct {
		pattern, options string
		form             Form
		literal, leading bool
	}{
		{`^pune$`, "i", Exact, true, false},
		{`(?i)^pune$`, "", Exact, true, false},
		{`^(pune)$`, "i", Exact, true, false},
		{`^(?i:pune)$`, "", Exact, true, false},
		{`\Apune\z`, "i", Exact, true, false},
		{`^user\.one@example\.test$`, "i", Exact, true, false},
		{`^\Qa.b\E$`, "i", Exact, true, false},
		{`^a b # note`, "x", Prefix, true, false},
		{`^$`, "i", Exact, true, false},
		{`^pune`, "i", Prefix, true, false},
		{`^pune.*`, "i", Prefix, true, false},
		{`^pune.*$`, "i", Prefix, true, false},
		{`^pune.*?$`, "i", Prefix, true, false},
		{`(^pune)`, "", Prefix, true, false},
		{`pune$`, "", Suffix, true, false},
		{`.*pune$`, "", Suffix, true, true},
		{`^.*pune$`, "i", Suffix, true, true},
		{`pune`, "", Contains, true, false},
		{`.*pune.*`, "", Contains, true, true},
		{`.*?pune`, "", Contains, true, true},
		{`^.*pune`, "", Contains, true, true},
		{`.*+pune`, "", Contains, false, false},
		{`.*`, "", Contains, false, true},
		{`^`, "", Contains, false, false},
		{``, "", Contains, false, false},
		{`^pu(?i)ne`, "", Contains, false, false},
		{`^(pune)?`, "", Contains, false, false},
		{`^pu[nm]e$`, "i", Contains, false, false},
		{`^(?!pune)`, "", Contains, false, false},
	} {
		got := Classify(tt.pattern, tt.options)
		if got.Form != tt.form || got.Literal != tt.literal || got.LeadingWildcard != tt.leading {
			t.Errorf("Classify(%q, %q) = %s literal %v leading %v, want %s %v %v", tt.pattern, tt.options,
				got.Form, got.Literal, got.LeadingWildcard, tt.form, tt.literal, tt.leading)
		}
	}
}

func TestAlternatives(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		n       int
		form    Form
	}{
		{`^a|^b`, 2, Prefix},
		{`^a$|^b$|^c$`, 3, Exact},
		{`^a$|^b`, 2, Prefix},
		{`^(a|b)`, 2, Prefix},
		{`^(?:a|b|c)$`, 3, Exact},
		{`^((a)|b)$`, 2, Exact},
		{`(^a|^b)`, 2, Prefix},
		{`^item-(a|b)$`, 2, Exact},
		{`^(a|b)-item`, 2, Prefix},
		{`^abc|def`, 0, Contains},
		{`^abc|`, 0, Contains},
		{`^(a|b+)`, 0, Contains},
		{`^(a|b)?c`, 0, Contains},
		{`^(a.|b)*c`, 0, Contains},
		{`^(a|(b|c))`, 0, Contains},
		{`^(a|b)(c|d)`, 0, Contains},
		{`^(?!a|b)`, 0, Contains},
		{`^a[|]`, 0, Contains},
		{`^a|(?i)^b`, 0, Contains},
		{"^" + strings.Repeat("a", 2*maxAround) + "(b|c)", 0, Contains},
	} {
		got := Classify(tt.pattern, "")
		if got.Reason != Alternation || got.Alternatives != tt.n || got.Form != tt.form {
			t.Errorf("Classify(%.40q) = %s %d %s, want %d %s", tt.pattern, got.Reason, got.Alternatives, got.Form, tt.n, tt.form)
		}
	}
}

func TestUncased(t *testing.T) {
	for pattern, want := range map[string]bool{
		`^123`: true, `^\d+-\d+$`: true, `日本`: true, `^12\b`: true,
		`^12a`: false, `é`: false, `^\x41`: false, `[0-9]`: false, `\p{Lu}`: false, `(.)\1`: false,
	} {
		if got := Classify(pattern, "i"); got.Uncased != want {
			t.Errorf("Classify(%q, i).Uncased = %v", pattern, got.Uncased)
		}
	}
	if Classify(`^123`, "").Uncased {
		t.Error("Uncased without option i")
	}
}
