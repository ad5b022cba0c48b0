package harness

import "testing"

func TestSamples(t *testing.T) {
	got := Samples("# HELP a_total b 5\na_total{x=\"1\",y=\"p q\"} 2\na_total{x=\"2\"} 3.5\nother 1e+06\n\nbroken\n")
	if len(got) != 3 || got[`a_total{x="1",y="p q"}`] != 2 || got["other"] != 1e6 {
		t.Errorf("%v", got)
	}
	if all, one := Total(got, "a_total", ""), Total(got, "a_total", `x="2"`); all != 5.5 || one != 3.5 {
		t.Errorf("%v, %v", all, one)
	}
}
