package demo

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func TestExercisesSayWhatTheyAre(t *testing.T) {
	rule := regexp.MustCompile(`^[QWASIO]\d\d$`)
	names, rules := map[string]bool{}, map[string]bool{}
	for _, e := range Exercises() {
		if e.Name == "" || e.Lesson == "" || e.Namespace == "" || e.Why == "" {
			t.Errorf("something is empty: %+v", e)
		}
		if names[e.Name] {
			t.Errorf("%q is there twice", e.Name)
		}
		names[e.Name] = true
		if e.Avoid == nil && e.Prefer == nil {
			t.Errorf("%q does nothing", e.Name)
		}
		if (e.Avoid != nil) != (len(e.Rules) > 0) {
			t.Errorf("%q: the avoided side breaks rules, and only that", e.Name)
		}
		for _, r := range e.Rules {
			rules[r] = true
			if !rule.MatchString(r) {
				t.Errorf("%q names the rule %q", e.Name, r)
			}
		}
	}
	for _, r := range strings.Fields("Q01 Q02 Q03 Q04 Q07 Q08 Q11 Q12 W01 W02 W05 W07 W08 A01 A02 A04 A05 A07 O02 S02 S04 S05 S06 S07 S09") {
		if !rules[r] {
			t.Errorf("no exercise breaks %s", r)
		}
	}
}

func TestRunNamesTheExerciseThatFails(t *testing.T) {
	client, err := mongo.Connect(options.Client().ApplyURI("mongodb://127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = Run(ctx, client, client, 1, nil)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), Exercises()[0].Name) {
		t.Errorf("got %v", err)
	}
}
