package e2e

import (
	"encoding/json"
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
