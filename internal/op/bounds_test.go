package op

import (
	"strings"
	"testing"
)

// TestNamesAreBounded: a server answers commands on names of any length; what
// is kept of them is not.
func TestNamesAreBounded(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	ns := Namespace{DB: "d", Coll: long}
	if n := len(ns.String()); n > maxNamespace {
		t.Errorf("a namespace of %d bytes", n)
	}
	if n := len(ns.Template()); n > 2*maxNamespace {
		t.Errorf("a template of %d bytes", n)
	}
	if n := len(Path(strings.Repeat("a.", 50_000) + "b")); n > maxPath {
		t.Errorf("a path of %d bytes", n)
	}
}

// TestTokensLookLikeData: keys of services and ids of libraries, beside names
// that people give.
func TestTokensLookLikeData(t *testing.T) {
	for _, s := range []string{"V1StGXR8_Z5jdHi6B-myT", "cus_NffrFeUfNV2Hib", "sk_live_4eC39HqLyjWDarjtT1", "AKIAIOSFODNN7EXAMPLE", "B00EXAMPLE", "a1b2c3d4"} {
		if !LooksLikeData(s) {
			t.Errorf("%s passes for a name", s)
		}
	}
	for _, s := range []string{"address1", "line2", "shippingAddress2", "sha256", "oauth2Token", "x1y1", "md5sum", "utf8mb4", "HTTPStatusCode", "userID", "recentReviews", "s3Bucket", "ipv4Addr", "h264Profile"} {
		if LooksLikeData(s) {
			t.Errorf("%s passes for data", s)
		}
	}
}
