package op

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestCollationText(t *testing.T) {
	for _, c := range []struct {
		collation bson.D
		want      string
	}{
		{d(), ""},
		{d("locale", "simple"), ""},
		{d("strength", 2), ""},
		{d("locale", "en", "strength", 2), "locale=en,strength=2"},
		{d("locale", "de@collation=phonebook", "caseLevel", true), "locale=de@collation=phonebook,caseLevel=true"},
		{d("locale", "zh_Hant", "alternate", "non-ignorable", "version", "57.1"), "locale=zh_Hant,alternate=non-ignorable"},
		{d("locale", "en_US", "unknown", "hunter2"), "locale=en_US"},
		// what no collation holds does not leave
		{d("locale", "hunter2 is my password"), "locale=?"},
		{d("locale", "4111111111111111"), "locale=?"},
		{d("locale", "en@collation=hunter"), "locale=?"},
		{d("locale", "en", "strength", 4111111111111111), "locale=en,strength=?"},
		{d("locale", "en", "strength", "hunter2"), "locale=en,strength=?"},
		{d("locale", "en", "caseFirst", d("x", "hunter2")), "locale=en,caseFirst=?"},
	} {
		if got := CollationText(doc(c.collation)); got != c.want {
			t.Errorf("%v: %q, want %q", c.collation, got, c.want)
		}
	}
	if CollationText(nil) != "" {
		t.Error("none")
	}
}

func TestParseIndex(t *testing.T) {
	ix, ok := ParseIndex(doc(d("name", "a_1_b_-1", "key", d("a", 1, "b", -1.0, "t", "text"), "unique", true, "hidden", true,
		"sparse", 1, "partialFilterExpression", d("x", 1), "collation", d("locale", "en"))))
	if !ok || len(ix.Keys) != 3 || ix.Keys[1] != (IndexKey{"b", "-1"}) || ix.Keys[2].Kind != "text" ||
		!ix.Unique || !ix.Hidden || !ix.Sparse || !ix.Partial || ix.Collation != "locale=en" {
		t.Errorf("%+v", ix)
	}
	if !ix.Leads("a") || ix.Leads("b") {
		t.Error("Leads")
	}
	if text, _ := ParseIndex(doc(d("key", d("a", "text")))); text.Leads("a") {
		t.Error("a text index leads nothing")
	}
	if _, ok := ParseIndex(doc(d("name", "x"))); ok {
		t.Error("an index without keys")
	}
}

func TestHas(t *testing.T) {
	has := HasReply | HasConn
	if has.Missing(HasReply|HasExec) != HasExec || has.Missing(HasConn) != 0 {
		t.Error("Missing")
	}
	if got := (HasExec | HasReply).String(); got != "replies, execution statistics" {
		t.Error(got)
	}
}

func TestEveryCommandHasOneName(t *testing.T) {
	names := map[string]bool{}
	for _, n := range CommandNames() {
		if names[n] {
			t.Errorf("%s twice", n)
		}
		names[n] = true
		if got, _ := Command(n); got != n && n != OtherCommand {
			t.Errorf("%s is not its own name but %s", n, got)
		}
	}
	for sent, want := range map[string]string{"findandmodify": "findAndModify", "ismaster": "hello", "Find": OtherCommand, "": OtherCommand} {
		if got, _ := Command(sent); got != want || !names[got] {
			t.Errorf("%q: %s", sent, got)
		}
	}
}
