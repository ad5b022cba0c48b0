package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestBaseline: what one run writes down mutes the next one, but for what is new;
// what did not occur again is named.
func TestBaseline(t *testing.T) {
	t.Parallel()
	server := mongodtest.Start(t)
	path := filepath.Join(t.TempDir(), "baseline.json")
	search := func(p *proxied, field string) {
		t.Helper()
		db := connect(t, p.uri(""), "shop").Database("shop")
		if err := drain(db.Collection("customers").Find(t.Context(), bson.D{{Key: field, Value: bson.Regex{Pattern: "x"}}})); err != nil {
			t.Fatal(err)
		}
		p.settled()
	}
	first := startProxy(t, server.Addr(), "--write-baseline", path)
	search(first, "name")
	search(first, "city")
	first.stop()
	raw, err := os.ReadFile(path)
	if err != nil || strings.Count(string(raw), "\n{") != 2 {
		t.Fatalf("%v: %s", err, raw)
	}
	second := startProxy(t, server.Addr(), "--baseline", path)
	search(second, "name")
	search(second, "street")
	var report struct {
		Findings []finding
		Gone     []struct{ Message string } `json:"baseline_gone"`
	}
	if err := json.Unmarshal(second.get("/api/v1/findings"), &report); err != nil {
		t.Fatal(err)
	}
	status := map[string]string{}
	for _, f := range report.Findings {
		status[f.Fields[0]] = f.Status
	}
	if len(status) != 2 || status["name"] != "muted" || status["street"] != "open" {
		t.Errorf("findings %v", status)
	}
	if len(report.Gone) != 1 || !strings.Contains(report.Gone[0].Message, "city") {
		t.Errorf("gone since the baseline: %v", report.Gone)
	}
}
