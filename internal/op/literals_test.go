package op

import (
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"
)

// structure is a document without its literals; fill puts literals in.
type structure func(next func(kind string) any) any

func drawStructure(t *rapid.T, depth int) structure {
	kinds := []string{"string", "number", "date", "binary", "regex", "list", "dollar"}
	if depth > 0 {
		kinds = append(kinds, "operators", "elemMatch", "or", "document")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "list":
		n := rapid.IntRange(2, 10).Draw(t, "n")
		return func(next func(string) any) any {
			a := bson.A{}
			for range n {
				a = append(a, next("string"))
			}
			return d("$in", a)
		}
	case "operators":
		return func(next func(string) any) any { return d("$gte", next("number"), "$ne", next("string")) }
	case "elemMatch":
		inner := drawStructure(t, depth-1)
		return func(next func(string) any) any { return d("$elemMatch", d("x", inner(next), "y", next("number"))) }
	case "document":
		return func(next func(string) any) any { return d("street", next("string"), "n", next("number")) }
	default:
		return func(next func(string) any) any { return next(kind) }
	}
}

// literals makes values that all hold a token of their own.
func literals(tokens *[]string, salt int) func(string) any {
	return func(kind string) any {
		token := fmt.Sprintf("token%dx%d", salt, len(*tokens)+10_000)
		*tokens = append(*tokens, token)
		switch kind {
		case "number":
			return int64(salt)*1_000_003 + int64(len(*tokens))
		case "date":
			return bson.DateTime(int64(salt) * 86_400_000)
		case "binary":
			return []byte(token)
		case "regex", "or":
			return re("^"+strings.ReplaceAll(token, "x", "")+strings.Repeat("q", 30), "i")
		case "dollar":
			return "$" + token + " and more"
		}
		return token
	}
}

// Two commands that differ in literals only have one shape, and none of the
// literals is in it.
func TestLiteralsNeverReachTheShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b.c", "city", "tags", "$or"}), 1, 4, rapid.ID[string]).Draw(t, "fields")
		parts := make([]structure, len(fields))
		for i := range fields {
			parts[i] = drawStructure(t, 2)
		}
		as := rapid.SampledFrom([]string{"find", "match", "update", "delete"}).Draw(t, "as")
		build := func(salt int) (*Operation, []string) {
			var tokens []string
			next := literals(&tokens, salt)
			filter := bson.D{}
			for i, f := range fields {
				v := parts[i](next)
				if f == "$or" {
					v = bson.A{d("x", v), d("y", next("string"))}
				}
				filter = append(filter, bson.E{Key: f, Value: v})
			}
			switch as {
			case "match":
				return command(d("aggregate", "c", "pipeline", bson.A{d("$match", filter), d("$addFields", d("v", next("string"))), d("$project", d("w", d("$literal", next("dollar"))))})), tokens
			case "update":
				return command(d("update", "c", "updates", bson.A{d("q", filter, "u", d("$set", d("v", next("string")), "$push", d("l", d("$each", bson.A{next("string")}))))})), tokens
			case "delete":
				return command(d("delete", "c", "deletes", bson.A{d("q", filter, "limit", 1)})), tokens
			}
			return command(d("find", "c", "filter", filter, "sort", d("a", 1))), tokens
		}
		one, tokens := build(1)
		two, more := build(2)
		a, b := one.Shape(), two.Shape()
		if a.ID != b.ID {
			t.Fatalf("%s\n%s", a.Text, b.Text)
		}
		for _, token := range append(tokens, more...) {
			if strings.Contains(a.Text+b.Text, token) {
				t.Fatalf("%s holds %s", a.Text, token)
			}
		}
	})
}
