package regex

import (
	"testing"
	"unicode/utf8"
)

// FuzzClassify asks for no more than what callers rely on without looking: no
// panic, and no byte in the prefix that the pattern does not have.
func FuzzClassify(f *testing.F) {
	for _, s := range surroundings {
		f.Add(s, "")
	}
	f.Add(`^ab{0,1}c(?i)[^]\Q]\E]\`, "x")
	f.Add("^é?\\Qa\\", "msx")
	f.Fuzz(func(t *testing.T, pattern, options string) {
		c := Classify(pattern, options)
		i := 0
		for _, b := range []byte(c.Prefix) {
			for i < len(pattern) && pattern[i] != b {
				i++
			}
			if i == len(pattern) {
				t.Fatalf("Classify(%q, %q): prefix %q is not in the pattern", pattern, options, c.Prefix)
			}
			i++
		}
		if c.Reason == "" || c.Form == "" {
			t.Fatalf("Classify(%q, %q) = %+v: empty answer", pattern, options, c)
		}
		for _, lengths := range []bool{true, false} {
			s := Skeleton(pattern, lengths)
			if n := utf8.RuneCountInString(s); n > maxSkeleton+1 {
				t.Fatalf("Skeleton(%q) has %d characters", pattern, n)
			}
		}
	})
}
