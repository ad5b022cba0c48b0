package sink

import "strconv"

// remarks words what the configuration, the marks in queries and the baseline say that
// the traffic does not bear out.
func remarks(r *Report) []string {
	var out []string
	for _, i := range r.Ignores {
		out = append(out, i.words())
	}
	for _, k := range r.BaselineGone {
		out = append(out, "gone since the baseline: "+k.Rule+" "+k.Reason+" on "+k.Namespace+" ("+k.Fingerprint+")")
	}
	return out
}

// words is one line about an entry, or about a mark.
func (i IdleIgnore) words() string {
	where := "ignore entry " + i.Rule
	for _, part := range []string{i.Namespace, i.Shape} {
		if part != "" {
			where += " " + part
		}
	}
	if i.Mark {
		where = "comment mongoadvisor:ignore " + i.Rule + " on " + i.Namespace
	}
	switch i.Why {
	case IgnoreExpired:
		return where + ": expired on " + i.Until
	case IgnoreNoRule:
		return where + ": " + strconv.Quote(i.Rule) + " is no rule, so nothing is silenced; rules are named by their ID, several joined by commas"
	case IgnoreNoReason:
		return where + ": silences without a reason; write it behind the rule"
	}
	return where + ": silenced nothing"
}

// maxRemarks and maxRemark bound what is said where there is little room: lines, and
// bytes of each.
const (
	maxRemarks = 20
	maxRemark  = 300
)

// fewRemarks are the first of them, cut.
func fewRemarks(r *Report) []string {
	all := remarks(r)
	var out []string
	for i, s := range all {
		if i == maxRemarks {
			return append(out, strconv.Itoa(len(all)-i)+" more remarks are in the report")
		}
		out = append(out, short(s, maxRemark))
	}
	return out
}
