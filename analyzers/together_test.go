package analyzers_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis/analysistest"
	"mongoadvisor/internal/analysis/cases"
	"mongoadvisor/internal/op"
)

// together are the rules, or their reasons, that may speak of one statement, and
// why that is two causes and not one twice. Of all other pairs one must be silent.
var together = map[string]string{
	"A01 A02":                               "the join is read at every call, and it is written in a form that can lose its index",
	"A01 A03":                               "the join is read at every call, and its index is missing",
	"A01 A04":                               "two stages of one pipeline",
	"A01 A06":                               "the join is read at every call, and by more documents than are wanted",
	"A01 Q01":                               "the condition stands in a pipeline that also joins",
	"A01 Q02":                               "the condition stands in a pipeline that also joins",
	"A01 Q03":                               "the condition stands in a pipeline that also joins",
	"A01 Q05":                               "the condition stands in a pipeline that also joins",
	"A01 Q06":                               "the condition stands in a pipeline that also joins",
	"A01 Q07":                               "the condition stands in a pipeline that also joins",
	"A01 Q08":                               "the skip stands in a pipeline that also joins",
	"A03 A04":                               "the walk is made at every call, and the index for its steps is missing",
	"A04 A06":                               "the walk is made at every call, and from more documents than are wanted",
	"A04 Q01":                               "the condition stands in a pipeline that also walks",
	"A04 Q02":                               "the condition stands in a pipeline that also walks",
	"A04 Q03":                               "the condition stands in a pipeline that also walks",
	"A04 Q05":                               "the condition stands in a pipeline that also walks",
	"A04 Q06":                               "the condition stands in a pipeline that also walks",
	"A04 Q07":                               "the condition stands in a pipeline that also walks",
	"A05/repeated A07/push-all":             "it is computed at every call, and it gathers without a bound",
	"A07/push-root O04/time-limit":          "the form, and an error that it need not be the cause of",
	"I04/fanout W01/push":                   "an array that grows, and from 1,000 elements on its index (TestOneCauseOneFinding)",
	"I04/parallel-arrays I05/indexes":       "an index that cannot be, and who keeps asking for it",
	"I05/collections S04/growth":            "who makes collections, and how many there are",
	"O02 Q10":                               "no index, and no deadline or a cursor without end while there is none",
	"O04/unknown-command W01/push":          "the server does not know bulkWrite; the next one may",
	"O04/write-conflict W01/push":           "writers that meet, and what they write grows",
	"O05/deprecated-command Q06/map-reduce": "the command is going away, and no index serves it",
	"O05/deprecated-command W01/push":       "the operator is gone, and what it does grows",
	"O05/no-comment Q10":                    "no-comment is asked for, for every operation",
	"Q01/unanchored Q07/in":                 "hundreds of expressions in a list: its length, and that none is anchored",
	"Q01 W06":                               "W06 is about writing by conditions that Q01 to Q06 speak of",
	"Q02 W06":                               "W06 is about writing by conditions that Q01 to Q06 speak of",
	"Q05 W06":                               "W06 is about writing by conditions that Q01 to Q06 speak of",
	"Q06 W06":                               "W06 is about writing by conditions that Q01 to Q06 speak of",
	"Q06/function Q10":                      "the code stands in a stage behind the condition that has no index",
	"Q07 Q10":                               "only with Q07's limits lowered, as in its data files",
	"Q09 Q10":                               "only with Q09's limits lowered, as in its data files",
	"Q10 Q11/duplicate":                     "each query is slow, and there are too many of it",
	"Q10 S04/templated-name":                "no index, in each of many collections that should be one",
	"Q10 S07/recursive-reads":               "each step is slow, and there are too many of them",
	"Q10 S08/silent-no-match":               "no index, and a value of a type that finds nothing; each stays when the other is mended",
	"Q10 S09":                               "one question that has no index; S09 counts how many such fields there are",
	"Q10/sort-in-memory S01/large":          "no index for the order, and long arrays in what is returned",
	"S08/mixed-types W05/inserts":           "what is stored, and how it is sent",
	"W01/push W03/data-keys":                "the keys are data, and below each is an array that grows",
	"W01/push W07/counter":                  "an array that grows, and a counter beside it that all write to",
	"W03/many-keys W07/hot-document":        "one document has very many keys, and all write to it",
	"W04/noop W05/updates":                  "writes that change nothing, and writes one by one",
}

// TestOneStatementOneRule: the traffic of every data file, as it is, again and
// again, and again and slow, under all rules. Which two speak of one statement
// stands in the list above, or is a root cause reported twice.
func TestOneStatementOneRule(t *testing.T) {
	files, err := analysistest.Files("testdata")
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		op        *op.Operation
		statement int
	}
	where := map[string][]string{}
	for _, path := range files {
		f, err := cases.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		again(f)
		steps, _, err := analysistest.Replay(f, analyzers.All())
		if err != nil {
			t.Fatal(path, err)
		}
		at := map[place][]string{}
		for _, s := range steps {
			for _, r := range s {
				k := place{r.Op, r.Finding.Statement}
				for _, other := range at[k] {
					if !strings.HasPrefix(other, r.Rule.ID) {
						pair := []string{other, r.Rule.ID + "/" + r.Finding.Reason}
						slices.Sort(pair)
						where[strings.Join(pair, " ")] = append(where[strings.Join(pair, " ")], filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path))
					}
				}
				at[k] = append(at[k], r.Rule.ID+"/"+r.Finding.Reason)
			}
		}
	}
	met := map[string]bool{}
	for pair, in := range where {
		key, ok := allowed(pair)
		if !ok {
			t.Errorf("%s speak of one statement, in %v", pair, slices.Compact(in))
		}
		met[key] = true
	}
	for key := range together {
		if !met[key] {
			t.Errorf("%s never speak of one statement: take it out of the list", key)
		}
	}
}

// allowed finds the entry for a pair: with both reasons, with one, or with none.
func allowed(pair string) (key string, ok bool) {
	a, b, _ := strings.Cut(pair, " ")
	ruleOf := func(s string) string { return s[:3] }
	for _, key := range []string{pair, ruleOf(a) + " " + b, a + " " + ruleOf(b), ruleOf(a) + " " + ruleOf(b)} {
		if _, ok := together[key]; ok {
			return key, true
		}
	}
	return pair, false
}

// again repeats the operations of a file, first as they are and then slowly.
func again(f *cases.File) {
	once := f.Operations
	for round := range 11 {
		for _, o := range once {
			o.At, o.Repeat = 0, min(o.Repeat, 20)
			if round >= 6 {
				o.Latency, o.After = 200*time.Millisecond, 400*time.Millisecond
			}
			f.Operations = append(f.Operations, o)
		}
		if len(f.Operations) > 1500 && round > 6 {
			return
		}
	}
}
