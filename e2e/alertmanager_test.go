package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// alertmanager starts a real one and gives its address.
func alertmanager(t *testing.T) string {
	t.Helper()
	path := monitoring(t, "prometheus-alertmanager", "prometheus-alertmanager", "alertmanager")
	dir := t.TempDir()
	config := filepath.Join(dir, "alertmanager.yml")
	if err := os.WriteFile(config, []byte("route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	address := freePort(t)
	return serve(t, address, path, "--config.file", config, "--storage.path", filepath.Join(dir, "data"), "--web.listen-address", address, "--cluster.listen-address=")
}

// firing are the alerts of a rule that Alertmanager has, with their labels.
func firing(t *testing.T, address, rule string) (out []map[string]string) {
	t.Helper()
	resp, err := http.Get(address + "/api/v2/alerts?active=true&filter=rule%3D" + rule)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var alerts []struct {
		Labels      map[string]string
		Annotations map[string]string
	}
	if err := json.NewDecoder(resp.Body).Decode(&alerts); err != nil {
		t.Fatal(err)
	}
	for _, a := range alerts {
		if a.Annotations["summary"] == "" || a.Annotations["description"] == "" {
			t.Errorf("an alert without words: %+v", a)
		}
		out = append(out, a.Labels)
	}
	return out
}

// TestAlertOfALookup: the alert of a repeated $lookup reaches a real Alertmanager within
// thirty seconds of crossing its floor, names its culprit, and is resolved once the
// traffic is repaired.
func TestAlertOfALookup(t *testing.T) {
	t.Parallel()
	address := alertmanager(t)
	server := mongodtest.Start(t)
	p := startProxy(t, server.Addr(), "--alert.alertmanager.url", address, "--alert.min-severity", "low", "--fixed-after", "2s")
	db := connect(t, p.uri(""), "shop").Database("shop")
	joined := mongo.Pipeline{
		{{Key: "$match", Value: bson.D{{Key: "state", Value: "open"}}}},
		{{Key: "$lookup", Value: bson.D{{Key: "from", Value: "customers"}, {Key: "localField", Value: "customer"}, {Key: "foreignField", Value: "_id"}, {Key: "as", Value: "customer"}}}},
	}
	if _, err := db.Collection("orders").InsertOne(t.Context(), bson.D{{Key: "customer", Value: 1}, {Key: "state", Value: "open"}}); err != nil {
		t.Fatal(err)
	}
	for range 120 {
		if _, err := db.Collection("orders").Aggregate(t.Context(), joined); err != nil {
			t.Fatal(err)
		}
	}
	crossed := time.Now()
	eventually(t, "the alert fires", func() bool { return len(firing(t, address, "A01")) == 1 })
	if took := time.Since(crossed); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	labels := firing(t, address, "A01")[0]
	for name, want := range map[string]string{"alertname": "MongoAdvisorFinding", "database": "shop", "collection": "orders", "rule": "A01"} {
		if labels[name] != want {
			t.Errorf("label %s is %q, want %q", name, labels[name], want)
		}
	}
	if labels["fingerprint"] == "" || labels["severity"] == "" {
		t.Errorf("%v", labels)
	}
	// repaired: the orders carry what is shown
	eventually(t, "the alert is resolved", func() bool {
		if err := db.Collection("orders").FindOne(t.Context(), bson.D{{Key: "customer", Value: 1}}).Err(); err != nil {
			t.Fatal(err)
		}
		return len(firing(t, address, "A01")) == 0
	})
}
