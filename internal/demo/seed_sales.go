package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func productName(i int) string { return fmt.Sprintf("Product %d", i) }

func products(r *rand.Rand) []any {
	paths := []string{",electronics,audio,", ",electronics,laptops,", ",books,novels,", ",home,kitchen,"}
	docs := make([]any, numProducts)
	for i := range docs {
		p := paths[i%len(paths)]
		ean := fmt.Sprintf("40%d", r.IntN(100_000))
		if i%3 == 0 {
			ean = fmt.Sprintf("41%d", r.IntN(100_000)) // what /^40{0,1}1/ must find and does not
		} else if i%3 == 1 {
			ean = fmt.Sprintf("401%d", r.IntN(100_000))
		}
		docs[i] = d("_id", i, "name", productName(i), "sku", fmt.Sprintf("%s-%02d-%04d", strings.ToUpper(p[1:3]), i%50, i),
			"ean", ean, "categoryPath", p, "price", r.IntN(500), "specs", bson.A{d("k", "color", "v", "red"), d("k", "weight", "v", i%40)})
	}
	return docs
}

func reviews(r *rand.Rand) []any {
	docs := make([]any, numReviews)
	for i := range docs {
		docs[i] = d("_id", i, "productId", r.IntN(numProducts), "rating", r.IntN(5)+1, "title", fmt.Sprintf("Review %d", i),
			"helpfulVotes", r.IntN(100), "createdAt", day(i%365))
	}
	// one review of a bundle: its array makes the index on productId multikey
	docs[numReviews-1] = d("_id", numReviews-1, "productId", bson.A{1, 2}, "rating", 5, "title", "Bundle", "helpfulVotes", 1, "createdAt", day(0))
	return docs
}

// bestsellers are the products that every fifth order is for.
const bestsellers = 20

// orders have the names that an order page shows beside each reference.
func orders(r *rand.Rand) []any {
	docs := make([]any, numOrders)
	for i := range docs {
		c := r.IntN(numCustomers)
		p := r.IntN(numProducts)
		if i%5 == 0 {
			p = i / 5 % bestsellers
		}
		docs[i] = d("_id", i, "orderNo", fmt.Sprintf("A-%06d", i), "customerId", c, "customer", d("_id", c, "name", customerName(c)),
			"productId", p, "product", d("_id", p, "name", productName(p)), "total", r.IntN(1000), "createdAt", day(i%365))
	}
	return docs
}

func events(r *rand.Rand) []any {
	docs := make([]any, numEvents)
	for i := range docs {
		docs[i] = d("_id", i, "customerId", r.IntN(100), "ts", day(i%30), "type", []string{"view", "click", "buy"}[r.IntN(3)], "latencyMs", r.IntN(300))
	}
	return docs
}

// manuals have a text of some bytes; those without one are what a list shows.
func manuals(text int) []any {
	docs := make([]any, numManuals)
	for i := range docs {
		docs[i] = d("_id", i, "title", fmt.Sprintf("Manual %d", i))
		if text > 0 {
			docs[i] = append(docs[i].(bson.D), bson.E{Key: "text", Value: strings.Repeat("lorem ipsum ", text/12)})
		}
	}
	return docs
}

func few(n int) []any {
	docs := make([]any, n)
	for i := range docs {
		docs[i] = d("_id", i, "title", fmt.Sprintf("Title %d", i))
	}
	return docs
}
