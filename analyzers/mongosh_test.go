package analyzers

import "testing"

func TestSingular(t *testing.T) {
	for name, want := range map[string]string{
		"orders": "order", "categories": "category", "addresses": "address", "boxes": "box", "people": "person",
		"movies": "movie", "status": "status", "statuses": "status", "series": "series", "analysis": "analysis", "stock": "stock",
	} {
		if got := singular(name); got != want {
			t.Errorf("singular(%q) = %q, want %q", name, got, want)
		}
	}
}
