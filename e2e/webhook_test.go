package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestWebhookOfAProxy: a finding reaches the receiver, signed, and the address with its
// token is in no line of the log and no metric.
func TestWebhookOfAProxy(t *testing.T) {
	var mu sync.Mutex
	var rules []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Findings []finding }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || !strings.HasPrefix(r.Header.Get("X-Mongoadvisor-Signature"), "sha256=") {
			t.Errorf("%v, %v", err, r.Header)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, f := range body.Findings {
			rules = append(rules, f.Rule+" "+f.Namespace)
		}
		if len(rules) > 1 {
			w.WriteHeader(http.StatusTeapot) // refused for good, with a line in the log
		}
	}))
	defer receiver.Close()
	t.Setenv("MONGOADVISOR_ALERT_WEBHOOK_URL", receiver.URL+"/a-token")
	t.Setenv("MONGOADVISOR_ALERT_WEBHOOK_SECRET", "between-us")
	server := mongodtest.Start(t)
	p := startProxy(t, server.Addr())
	db := connect(t, p.uri(""), "hooked").Database("shop")
	look := func(coll string) {
		if _, err := db.Collection(coll).Find(t.Context(), bson.D{{Key: "name", Value: bson.Regex{Pattern: "x", Options: "i"}}}); err != nil {
			t.Fatal(err)
		}
	}
	seen := func(n int) func() bool {
		return func() bool { mu.Lock(); defer mu.Unlock(); return len(rules) >= n }
	}
	look("one")
	eventually(t, "the finding is posted", seen(1))
	look("two")
	eventually(t, "the second one is posted", seen(2))
	eventually(t, "the refusal is logged", func() bool { return strings.Contains(p.errors(), "418 I'm a teapot") })
	mu.Lock()
	defer mu.Unlock()
	if rules[0] != "Q02 shop.one" || rules[1] != "Q02 shop.two" {
		t.Errorf("%q", rules)
	}
	metrics := string(p.get("/metrics"))
	for _, secret := range []string{"a-token", "between-us"} {
		if strings.Contains(p.errors()+metrics, secret) {
			t.Errorf("%s is in the log or the metrics", secret)
		}
	}
	for _, want := range []string{`mongoadvisor_notifications_total{outcome="delivered",sink="webhook"} 1`, `mongoadvisor_notifications_total{outcome="failed",sink="webhook"} 1`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestReceiverThatHangs: nobody feels a receiver that takes findings and never answers,
// neither the traffic nor the end of the program.
func TestReceiverThatHangs(t *testing.T) {
	release := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer receiver.Close()
	defer close(release)
	t.Setenv("MONGOADVISOR_ALERT_WEBHOOK_URL", receiver.URL)
	server := mongodtest.Start(t)
	p := startProxy(t, server.Addr())
	coll := connect(t, p.uri(""), "hooked").Database("shop").Collection("c")
	for i := range 200 {
		if _, err := coll.Find(t.Context(), bson.D{{Key: "name", Value: bson.Regex{Pattern: "x", Options: "i"}}, {Key: "n", Value: i}}); err != nil {
			t.Fatal(err)
		}
	}
	p.settled()
	if found, _ := p.report(); len(found) == 0 {
		t.Error("no finding")
	}
	start := time.Now()
	p.stop()
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("the program took %v to end", took)
	}
}

// TestReceiverThatMisbehaves: one that hangs up in requests, answers 500, hangs up in its
// answer, and only then takes what it is sent. The traffic feels none of it, each finding
// arrives once, and the counts say so.
func TestReceiverThatMisbehaves(t *testing.T) {
	var mu sync.Mutex
	got, requests := map[string]int{}, 0
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		requests++
		switch requests {
		case 1: // with most of the body unread
			hangUp(t, w, "")
			return
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
			return
		case 3:
			hangUp(t, w, "HTTP/1.1 200 O")
			return
		}
		var body struct{ Findings []finding }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		for _, f := range body.Findings {
			got[f.Fingerprint]++
		}
	}))
	defer receiver.Close()
	t.Setenv("MONGOADVISOR_ALERT_WEBHOOK_URL", receiver.URL)
	server := mongodtest.Start(t)
	p := startProxy(t, server.Addr())
	db := connect(t, p.uri(""), "hooked").Database("shop")
	const collections = 20
	arrived := func() bool { mu.Lock(); defer mu.Unlock(); return len(got) >= collections }
	for i := 0; i < collections || !arrived(); i++ { // as long as it misbehaves
		coll := db.Collection("of_" + string(rune('a'+i%collections))) // numbers would make them one family
		if _, err := coll.Find(t.Context(), bson.D{{Key: "name", Value: bson.Regex{Pattern: "x", Options: "i"}}}); err != nil {
			t.Fatalf("a client feels the receiver: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
		if i > 6000 {
			t.Fatalf("after a minute %d findings arrived", len(got))
		}
	}
	p.settled()
	eventually(t, "what arrived is counted", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(string(p.get("/metrics")), fmt.Sprintf("mongoadvisor_notifications_total{outcome=\"delivered\",sink=\"webhook\"} %d\n", len(got)))
	})
	mu.Lock()
	defer mu.Unlock()
	for fingerprint, n := range got {
		if n != 1 {
			t.Errorf("finding %s arrived %d times", fingerprint, n)
		}
	}
	for _, outcome := range []string{"failed", "dropped"} {
		if want := fmt.Sprintf("mongoadvisor_notifications_total{outcome=%q,sink=\"webhook\"} 0\n", outcome); !strings.Contains(string(p.get("/metrics")), want) {
			t.Errorf("no %s", want)
		}
	}
}

// hangUp says something, and closes the connection.
func hangUp(t *testing.T, w http.ResponseWriter, text string) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = io.WriteString(c, text)
	_ = c.Close()
}
