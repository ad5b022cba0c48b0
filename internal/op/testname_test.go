package op

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNameOfTest(t *testing.T) {
	for in, want := range map[string]string{
		"TestFind/by_email":              "TestFind/by_email",
		"orders > refuses twice":         "orders > refuses twice",
		"test_shop.py::test_x[param0]":   "test_shop.py::test_x[param0]",
		"returns 3 of 200 orders":        "returns 3 of 200 orders",
		"cart.test.js:1042 > adds":       "cart.test.js:1042 > adds",
		"TestFind/#01":                   "TestFind/#01",
		"TestMD5AndSHA256Sums":           "TestMD5AndSHA256Sums",
		"TestGröße":                      "TestGröße",
		"  TestX\n":                      "TestX",
		"a\x1b[31mb":                     "a [31mb",
		"shop.OrdersTest.findsByEmail()": "shop.OrdersTest.findsByEmail()",
		"TestCustomersAreFoundByEmailEvenWhenTheyHaveNoAddressAtAll": "TestCustomersAreFoundByEmailEvenWhenTheyHaveNoAddressAtAll",
		"findsOrdersWithin30DaysWhenTheCustomerHasNoEmailAddress":    "findsOrdersWithin30DaysWhenTheCustomerHasNoEmailAddress",

		"TestIssue12345":                                "TestIssue<n>",
		"test_report_2026_12":                           "test_report_<n>_12",
		"customer31415":                                 "customer<n>",
		"test_find[alice@example.com]":                  "test_find[<id>]",
		"TestFind/alice%40example.com":                  "TestFind/<id>",
		"TestFind/66a1b2c3d4e5f60718293a4b":             "TestFind/<id>",
		"test_0af7651916cd43dd8448eb211c80319c":         "<id>",
		"x[9f2c41d0-7be3-a855-0000-0123456789ab]":       "x[<id>]",
		"TestPay/sk_live_4eC39HqLyjWDarjtT1zdp7dc":      "TestPay/<id>",
		"test_card[4111111111111111]":                   "test_card[<id>]",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIi": "<id>",
	} {
		if got := NameOfTest(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestNamesOfTestsAreBounded(t *testing.T) {
	for _, s := range []string{strings.Repeat("ordersAreFound ", 50), strings.Repeat("ü", 500), strings.Repeat("1 ", 500), strings.Repeat("x", 5000), "\xff\xfe"} {
		if got := NameOfTest(s); len(got) > MaxTestName || !utf8.ValidString(got) {
			t.Errorf("%q: %d bytes, %q", s[:2], len(got), got)
		}
	}
	// what is cut in the middle does not look like what it is
	if got := NameOfTest(strings.Repeat("66a1b2c3d4e5f60718293a4b,", 31) + "aaaaaaaaaaaaaaa1b2c3d4e5f60718293a4b"); strings.Contains(got, "aaaa") {
		t.Errorf("%q", got)
	}
}

func FuzzNameOfTest(f *testing.F) {
	f.Add("test_shop.py::test_x[param0]")
	f.Add("a@b 2026-01-01 0af76519-16cd")
	f.Fuzz(func(t *testing.T, s string) {
		if got := NameOfTest(s); len(got) > MaxTestName || !utf8.ValidString(got) || strings.ContainsRune(got, '@') {
			t.Errorf("%q", got)
		}
	})
}
