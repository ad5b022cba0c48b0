package profiler_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/logged/loggedtest"
	"mongoadvisor/internal/source/mongolog"
	"mongoadvisor/internal/source/profiler"
)

func slowlab(t testing.TB) []byte {
	t.Helper()
	return loggedtest.File(t, filepath.Join("testdata", "profile_slowlab.jsonl"))
}

func run(t testing.TB, raw []byte) (loggedtest.Summary, *loggedtest.Judge) {
	t.Helper()
	j := loggedtest.New(t)
	p := profiler.New(profiler.Config{Emit: j.Take})
	if err := p.Read(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	return j.Summary(p.Coverage(), p.Has()), j
}

func TestGolden(t *testing.T) {
	raw := slowlab(t)
	if !profiler.Is(raw[:4096]) || !profiler.Is(raw[:600]) {
		t.Error("it is not recognised")
	}
	s, _ := run(t, raw)
	loggedtest.Compare(t, filepath.Join("testdata", "golden", "profile_slowlab.json"), s)
}

// forms are the same documents in each form that they are exported in.
func forms(t testing.TB) map[string][]byte {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(slowlab(t)), []byte("\n"))
	out := map[string][]byte{}
	var dump, canonical, pretty bytes.Buffer
	for _, line := range lines {
		var d bson.D
		if err := bson.UnmarshalExtJSON(line, false, &d); err != nil {
			t.Fatal(err)
		}
		raw, err := bson.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		dump.Write(raw)
		c, err := bson.MarshalExtJSON(d, true, false)
		if err != nil {
			t.Fatal(err)
		}
		canonical.Write(append(c, '\n'))
		if err := json.Indent(&pretty, line, "", "\t"); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
	}
	out["dump"], out["canonical"], out["pretty"] = dump.Bytes(), canonical.Bytes(), pretty.Bytes()
	out["array"] = slices.Concat([]byte("["), bytes.Join(lines, []byte(",")), []byte("]\n"))
	out["array over lines"] = slices.Concat([]byte("[\n"), bytes.Join(lines, []byte(",\n")), []byte("\n]\n"))
	return out
}

// The driver makes integers where Extended JSON was relaxed, so that shapes and
// findings are equal and the bytes of the body need not be.
func TestForms(t *testing.T) {
	want, _ := run(t, slowlab(t))
	for name, raw := range forms(t) {
		if !profiler.Is(raw[:2000]) {
			t.Errorf("%s: not recognised", name)
		}
		got, _ := run(t, raw)
		got.Coverage.Bytes = want.Coverage.Bytes
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n got %v\nwant %v", name, got, want)
		}
	}
}

// The log and the profiler of one workload say the same where both say it: the
// second half of the log was written while the profiler was on.
func TestAgreesWithTheLog(t *testing.T) {
	_, profile := run(t, slowlab(t))
	logs := loggedtest.New(t)
	l := mongolog.New(mongolog.Config{Emit: logs.Take})
	f, err := os.Open(filepath.Join("..", "mongolog", "testdata", "slowlab_6.0.5.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := l.Read(f); err != nil {
		t.Fatal(err)
	}
	told := map[string]int{}
	facts := func(o *op.Operation) string {
		ns := o.NS
		shape := o.Shape()
		return fmt.Sprint(o.Command, " ", ns, " ", shape.ID, o.Exec, o.Reply.OK, o.Reply.Code, o.Reply.Returned, o.Reply.N, o.Reply.Modified, o.View != nil)
	}
	for _, o := range logs.Operations {
		if o.Kind == op.KindRead || o.Kind == op.KindCursor || o.Command == "findAndModify" {
			told[facts(o)]++
		}
	}
	compared := 0
	for _, o := range profile.Operations {
		if o.Kind != op.KindRead && o.Kind != op.KindCursor && o.Command != "findAndModify" {
			continue
		}
		if o.Bytes > 10<<10 || o.Origin != nil && strings.Contains(o.Origin.Shape.Text, "$in") {
			continue // the log has a part of it
		}
		compared++
		if told[facts(o)] == 0 {
			t.Errorf("the log does not tell of %s", facts(o))
		}
	}
	if compared < 40 {
		t.Errorf("only %d operations were compared", compared)
	}
}

func TestBroken(t *testing.T) {
	lines := bytes.Split(bytes.TrimSpace(slowlab(t)), []byte("\n"))
	raw := slices.Concat(lines[0], []byte("\n"), lines[1][:200], []byte("\n"), lines[2], []byte("\n{\"a\":1}\nnoise\n{\"op\":\"query\",\"ns\":\"a.b\",\"ts\":{\"$date\":5}}\n"), lines[3][:50])
	p := profiler.New(profiler.Config{})
	if err := p.Read(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	c := p.Coverage()
	if c.Decoded != 2 || c.Undecoded[profiler.BadJSON] != 2 || c.Skipped[profiler.SkipUnrecognised] != 1 || c.Undecoded["no-command"] != 1 {
		t.Errorf("%+v", c)
	}
	dump := forms(t)["dump"]
	p = profiler.New(profiler.Config{})
	if err := p.Read(bytes.NewReader(dump[:len(dump)-3])); err == nil || p.Coverage().Undecoded[profiler.BadBSON] != 1 {
		t.Errorf("a dump that was cut: %v, %+v", err, p.Coverage())
	}
	if profiler.Is([]byte(`{"t":{"$date":"2026-12-01T00:04:08.621+00:00"},"msg":"x"}`)) || profiler.Is([]byte("text")) || profiler.Is(nil) {
		t.Error("something else is taken for a profile")
	}
}

func FuzzRead(f *testing.F) {
	line, _, _ := bytes.Cut(slowlab(f), []byte("\n"))
	f.Add(line)
	f.Add(forms(f)["dump"][:3000])
	f.Add([]byte(`[{"op":"update","ns":"a.b","query":{"a":1},"updateobj":{"$set":{"b":"###"}},"millis":5,"ts":{"$date":"2020-01-01T00:00:00Z"}}]`))
	f.Add([]byte(`{"op":"query","ns":"a.b","query":{"$query":{"a":1},"$orderby":{"b":1}},"ntoreturn":5,"millis":5,"ts":{"$date":"2020-01-01T00:00:00Z"}}`))
	f.Fuzz(func(_ *testing.T, raw []byte) {
		p := profiler.New(profiler.Config{Emit: func(o *op.Operation) { o.Statements(); o.Shape() }})
		_ = p.Read(bytes.NewReader(raw))
	})
}

// A document that is too large to be kept is counted, and the next one read.
func TestTooLarge(t *testing.T) {
	line, _, _ := bytes.Cut(slowlab(t), []byte("\n"))
	huge := slices.Concat([]byte(`{"op":"`), bytes.Repeat([]byte("x"), 49<<20), []byte(`"}`+"\n"), line)
	p := profiler.New(profiler.Config{})
	if err := p.Read(bytes.NewReader(huge)); err != nil {
		t.Fatal(err)
	}
	if c := p.Coverage(); c.Undecoded[profiler.TooLarge] != 1 || c.Decoded != 1 {
		t.Errorf("%+v", c)
	}
	p = profiler.New(profiler.Config{})
	if err := p.Read(bytes.NewReader([]byte{0xff, 0xff, 0xff, 0x7f, 0})); err == nil || p.Coverage().Undecoded[profiler.BadBSON] != 1 {
		t.Errorf("%v %+v", err, p.Coverage())
	}
}
