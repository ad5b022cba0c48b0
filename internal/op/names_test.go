package op

import (
	"strings"
	"testing"
)

func TestPath(t *testing.T) {
	for path, want := range map[string]string{
		"a.b":                              "a.b",
		"address.city":                     "address.city",
		"items.0.price":                    "items.<n>.price",
		"items.$[].price":                  "items.$[].price",
		"items.$[elem].price":              "items.$[elem].price",
		"votes.66a1b2c3d4e5f60718293a4b.n": "votes.<key>.n",
		"stats.2026-11-30.views":           "stats.<key>.views",
		"by.john.doe@example.com.count":    "<key>",
		"sessions.9f2c41d0-7be3-a855-0000-0123456789ab": "sessions.<key>",
		"m.order2026": "m.<key>",
		"":            "",
		"größe.höhe":  "größe.höhe",
	} {
		if got := Path(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func TestLooksLikeData(t *testing.T) {
	for _, s := range []string{
		"0", "17", "2026", "order2026", "66a1b2c3d4e5f60718293a4b", "deadbeef1", "a@b", "John Smith", "x/y", "key=value", "10%",
		strings.Repeat("long", 20), "a1b2c3d4e5f6g", "tok\x00en", "2026-11-30",
	} {
		if !LooksLikeData(s) {
			t.Errorf("%q passes for a name", s)
		}
	}
	for _, s := range []string{
		"", "_id", "userId", "address1", "line_2", "sha256", "created-at", "$set", "$[]", "$[e]", "$**", "<n>", "<key>", "Größe", "deadbeef", "x86_64", "utf8mb4", "h264",
	} {
		if LooksLikeData(s) {
			t.Errorf("%q is taken for data", s)
		}
	}
}

func TestName(t *testing.T) {
	for s, want := range map[string]string{"12": "<n>", "a@b": "<key>", "name": "name", "2026-11": "<key>"} {
		if got := Name(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestNamespaceTemplate(t *testing.T) {
	for in, want := range map[string]string{
		"shop.orders":            "shop.orders",
		"shop.events_2026_11_30": "shop.events_<n>_<n>_<n>",
		"shop.events_2026_12_1":  "shop.events_<n>_<n>_<n>",
		"tenant42.orders":        "tenant<n>.orders",
		"shop.v2":                "shop.v2",
		"shop.part_7":            "shop.part_<n>",
		"7.x":                    "<n>.x",
		"shop":                   "shop.",
	} {
		if got := ParseNamespace(in).Template(); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestNamespace(t *testing.T) {
	ns := ParseNamespace("shop.a.b")
	if ns.DB != "shop" || ns.Coll != "a.b" || ns.String() != "shop.a.b" || (Namespace{DB: "x"}).String() != "x" {
		t.Errorf("%+v", ns)
	}
	for s, want := range map[string]bool{
		"admin.x": true, "config.x": true, "local.oplog.rs": true, "shop.system.views": true, "shop.enxcol_.a.esc": true, "shop.orders": false, "shop.systems": false,
	} {
		if got := ParseNamespace(s).Internal(); got != want {
			t.Errorf("%s internal: %v", s, got)
		}
	}
}
