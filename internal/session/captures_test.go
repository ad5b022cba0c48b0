package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// judged plays a capture through all rules.
func judged(t *testing.T, name string) (*replay, []store.Entry) {
	t.Helper()
	st := store.New(store.Config{Profile: store.CI})
	e := engine.New(engine.Config{Rules: analyzers.All(), Recorder: st})
	r := play(t, readCapture(t, name), e.Judge)
	for _, s := range e.Stats() {
		if s.Panics.Load() > 0 {
			t.Errorf("%s: rule %s panicked", name, s.ID)
		}
	}
	return r, st.Findings()
}

// W-01: every message of a modern client is decoded.
func TestPlainCaptureIsDecodedInFull(t *testing.T) {
	r := play(t, readCapture(t, "plain"), nil)
	if c, s := r.messages(FromClient), r.messages(FromServer); c != 58 || s != 57 {
		t.Errorf("%d client and %d server messages, want 58 and 57", c, s)
	}
	c := r.stats.Coverage()
	if c.Decoded != 115 || len(c.Undecoded) != 0 || c.RepliesUnpaired != 0 || c.Ratio != 1 {
		t.Errorf("coverage %+v", c)
	}
	for _, o := range r.ops {
		if o.Command == op.Notice || o.Command == op.OtherCommand {
			t.Errorf("a %s %s", o.Command, o.Notice)
		}
	}
}

// summary counts operations by what rules see of them.
func summary(r *replay) map[string]int {
	out := map[string]int{}
	for _, o := range r.ops {
		out[fmt.Sprintf("%s %s %s %d returned %d", o.Command, o.NS, o.Shape().Text, len(o.Statements()), o.Reply.Returned)]++
	}
	return out
}

func counts(findings []store.Entry) map[string]int64 {
	out := map[string]int64{}
	for _, f := range findings {
		out[f.Rule+"/"+f.Reason+" "+f.Namespace+" "+f.Fingerprint] = f.Count
	}
	return out
}

// W-02: what a compressor hides is seen as if it were plain.
func TestCompressedCapturesSayTheSame(t *testing.T) {
	plain, want := judged(t, "plain")
	if len(want) == 0 {
		t.Fatal("the plain capture has no findings")
	}
	for _, name := range []string{"snappy", "zlib", "zstd"} {
		r, got := judged(t, name)
		if c := r.stats.Coverage(); c.Decoded != 115 || c.Messages != 115 {
			t.Errorf("%s: coverage %+v", name, c)
		}
		if diff := cmp.Diff(summary(plain), summary(r)); diff != "" {
			t.Errorf("%s: operations differ from plain:\n%s", name, diff)
		}
		if diff := cmp.Diff(counts(want), counts(got)); diff != "" {
			t.Errorf("%s: findings differ from plain:\n%s", name, diff)
		}
	}
}

// W-05: one hello, many replies.
func TestStreamedHelloRepliesBelongToOneRequest(t *testing.T) {
	r := play(t, readCapture(t, "streaming_hello"), nil)
	if n := r.stats.Orphans.Load(); n != 0 {
		t.Errorf("%d orphans", n)
	}
	if replies, requests := r.messages(FromServer), r.messages(FromClient); replies <= requests {
		t.Fatalf("%d replies to %d requests: the capture streams nothing", replies, requests)
	}
	for _, s := range r.sessions {
		if len(s.pending) != 0 {
			t.Errorf("%d requests still wait", len(s.pending))
		}
	}
	if r.pending.used != 0 || r.stats.Unanswered.Load() != 0 {
		t.Errorf("%d bytes wait, %d unanswered", r.pending.used, r.stats.Unanswered.Load())
	}
	for _, o := range r.ops {
		if o.Command == "hello" && o.Kind != op.KindHandshake {
			t.Errorf("hello is of kind %d", o.Kind)
		}
	}
}

// W-39: a getMore belongs to the command that opened its cursor.
func TestGetMoreKnowsItsFind(t *testing.T) {
	r, findings := judged(t, "np_getmore")
	finds, mores := r.named("find"), r.named("getMore")
	if len(finds) != 1 || len(mores) != 60 {
		t.Fatalf("%d finds and %d getMores, want 1 and 60", len(finds), len(mores))
	}
	for _, o := range mores {
		if o.Origin == nil || o.Origin.Command != "find" || o.Origin.NS != finds[0].NS || o.Origin.Shape.ID != finds[0].Shape().ID {
			t.Fatalf("origin %+v", o.Origin)
		}
		if o.NS != finds[0].NS {
			t.Errorf("getMore on %s", o.NS)
		}
	}
	for _, f := range findings {
		if f.Count > 1 {
			t.Errorf("%s/%s counted %d times for one find", f.Rule, f.Reason, f.Count)
		}
	}
}

// W-31: nothing of an authentication is kept.
func TestCredentialsAreNotKept(t *testing.T) {
	chunks := readCapture(t, "scram")
	st := store.New(store.Config{Profile: store.CI})
	e := engine.New(engine.Config{Rules: analyzers.All(), Recorder: st})
	r := play(t, chunks, e.Judge)
	var out strings.Builder
	secrets := 0
	for _, o := range r.ops {
		if o.Kind == op.KindSecret || o.Kind == op.KindHandshake {
			secrets++
			if o.Body != nil || o.Seqs != nil || o.Reply.Docs != nil {
				t.Errorf("%s keeps what it carried", o.Command)
			}
		}
		fmt.Fprintf(&out, "%s %s %s %+v %+v %q %v\n", o.Command, o.NS, o.Shape().Text, *o.Conn, o.Session, o.Comment, o.Hosts)
		fmt.Fprintf(&out, "%d %s %d\n", o.Reply.Code, o.Reply.CodeName, o.Reply.CursorID)
	}
	if secrets < 3 {
		t.Fatalf("%d operations that carry credentials: not an authentication", secrets)
	}
	js, err := json.Marshal(st.Findings())
	if err != nil {
		t.Fatal(err)
	}
	out.Write(js)
	payloads := scramParts(chunks)
	if len(payloads) < 4 {
		t.Fatalf("the capture holds only %q", payloads)
	}
	for _, s := range append(payloads, "capuser", "pencil-test-only", "SCRAM") {
		if strings.Contains(out.String(), s) {
			t.Errorf("%q leaves", s)
		}
	}
}

// scramParts finds the values of n=, r=, s=, p= and v= in the raw bytes.
func scramParts(chunks []chunk) []string {
	found := map[string]bool{}
	for _, c := range chunks {
		text := string(c.data)
		for _, mark := range []string{"n=", "r=", "s=", "p=", "v="} {
			for at := strings.Index(text, mark); at >= 0; {
				end := at + 2
				for end < len(text) && text[end] > ' ' && text[end] < 0x7f && text[end] != ',' {
					end++
				}
				if end-at > 8 {
					found[text[at+2:end]] = true
				}
				next := strings.Index(text[end:], mark)
				if next < 0 {
					break
				}
				at = end + next
			}
		}
	}
	var out []string
	for s := range maps.Keys(found) {
		out = append(out, s)
	}
	return out
}

// U-03: Mongoose writes $push where the application says array.push.
func TestMongoosePushesAreFound(t *testing.T) {
	_, findings := judged(t, "mongoose")
	found := map[string]bool{}
	for _, f := range findings {
		if f.Rule == "W01" && f.Reason == "push" {
			for _, field := range f.Fields {
				found[field] = true
			}
			for _, c := range f.Clients {
				if c.App != "mongoose-app" || !strings.Contains(c.Driver, "Mongoose") {
					t.Errorf("app %q, driver %q", c.App, c.Driver)
				}
			}
		}
	}
	if !found["log"] || !found["notes"] {
		t.Errorf("pushes found: %v, want log and notes", found)
	}
}
