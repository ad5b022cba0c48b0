package op

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCommentIsCleaned(t *testing.T) {
	for in, want := range map[string]string{
		"route=/orders":                          "route=/orders",
		"route=/orders/66a1b2c3d4e5f60718293a4b": "route=/orders/<id>",
		"route=/orders/17/items/4":               "route=/orders/<id>/items/<id>",
		"cart.go:42":                             "cart.go:42",
		"at internal/cart.go:42 in Add":          "at internal/cart.go:42 in Add",
		"order:42":                               "order:<id>",
		"cart.go:1234567":                        "cart.go:<id>",
		"user=john.doe@example.com":              "user=<id>",
		"user=john+shop@example.com":             "user=<id>",
		"user=john%40example.com":                "user=<id>",
		"traceparent='00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'": "traceparent='<id>'",
		"id=9f2c41d0-7be3-a855-0000-0123456789ab":                               "id=<id>",
		"+49 170 1234567":       "<id> <id> <id>",
		"v1.2":                  "v1.2",
		"a\x1b[31mb\nc":         "a [31mb c",
		"  padded  ":            "padded",
		"{\"job\":\"nightly\"}": "{\"job\":\"nightly\"}",
	} {
		if got := Comment(value(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCommentDocumentKeepsItsWords(t *testing.T) {
	got := Comment(value(d("route", "/cart", "user", "x@y.zz", "n", 17, "sub", d("secret", "x"), "k2026", "v")))
	if got != "route=/cart user=<id> <key>=v" {
		t.Errorf("%q", got)
	}
	if got := Comment(value(42)); got != "" {
		t.Errorf("a number: %q", got)
	}
}

func TestCommentIsBounded(t *testing.T) {
	long := strings.Repeat("12 ", 150) + "john.smith.of.london@example.com" // <id> is longer than 12
	got := Comment(value(long))
	if len(got) > maxComment+len("<id>") {
		t.Errorf("%d bytes", len(got))
	}
	// what is cut in the middle does not look like what it is
	cut := strings.Repeat("66a1b2c3d4e5f60718293a4b,", 19) + "johnsmith@example.com"
	if got := Comment(value(cut)); strings.Contains(got, "johns") || !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}
