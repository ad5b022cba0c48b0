package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// customerName is the name of a customer; people write theirs in any case.
func customerName(i int) string {
	return fmt.Sprintf("%s %d", []string{"Ada", "ada", "Grace", "Alan", "Edsger", "Barbara"}[i*7%11%6], i)
}

func customers(r *rand.Rand) []any {
	docs := make([]any, numCustomers)
	for i := range docs {
		email := fmt.Sprintf("user%05d@example.test", i)
		docs[i] = d("_id", i, "name", customerName(i), "email", email, "emailReversed", reversed(email),
			"address", d("city", cities[r.IntN(len(cities))], "street", fmt.Sprintf("Street %d", r.IntN(500))), "stats", d("spent", 0, "orders", 0))
	}
	return docs
}

// cities has one city in three spellings among many others, as forms that take
// free text collect them.
var cities = []string{
	"Pune", "PUNE", "pune", "Delhi", "Mumbai", "Lyon", "Graz", "Turin", "Cork", "Leeds", "Porto", "Ghent", "Basel", "Malmo", "Turku",
	"Gdansk", "Brno", "Split", "Varna", "Patras", "Izmir", "Haifa", "Tanta", "Oran", "Fez", "Dakar", "Accra", "Lagos", "Mbale", "Kisumu",
	"Arusha", "Lusaka", "Durban", "Surat", "Kochi", "Mysuru", "Galle", "Dhaka", "Hue", "Cebu", "Davao", "Busan", "Osaka", "Perth",
	"Hobart", "Nelson", "Quito", "Cali", "Arequipa", "Salta",
}

// reversed turns a text of ASCII letters round.
func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
