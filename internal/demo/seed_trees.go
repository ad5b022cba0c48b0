package demo

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// categories is a tree of three levels with all five models side by side.
func categories() []any {
	var docs []any
	left := 1
	for _, top := range []string{"electronics", "books", "home", "garden"} {
		docs = append(docs, d("_id", top, "parent", nil, "ancestors", bson.A{}, "path", ",", "lft", left, "rgt", left+400))
		for i := range 20 {
			mid := name(top, i)
			if top == "electronics" && i == 0 {
				mid = "audio"
			}
			docs = append(docs, d("_id", mid, "parent", top, "ancestors", bson.A{top}, "path", ","+top+",", "lft", left+1+i*18, "rgt", left+18+i*18))
			for j := range 8 {
				docs = append(docs, d("_id", name(mid, j), "parent", mid, "ancestors", bson.A{top, mid}, "path", ","+top+","+mid+",", "lft", left+2+i*18+2*j, "rgt", left+3+i*18+2*j))
			}
		}
		left += 402
	}
	return docs
}

func employees() []any {
	docs := make([]any, 200)
	for i := range docs {
		docs[i] = d("_id", i, "name", fmt.Sprintf("Grace %d", i), "managerId", (i-1)/4)
	}
	return docs
}
