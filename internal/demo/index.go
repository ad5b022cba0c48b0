package demo

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// caselessIndex is an index that compares without case: what rules Q02 and Q04
// advise, beside the plain one that cannot help.
type caselessIndex struct{ coll, field string }

// The fields that the preferred sides look up without case.
var (
	cityIndex       = caselessIndex{"customers", "address.city"}
	customerIndex   = caselessIndex{"customers", "name"}
	employeeIndex   = caselessIndex{"employees", "name"}
	caselessIndexes = []caselessIndex{cityIndex, customerIndex, employeeIndex}
)

func (c caselessIndex) name() string { return c.field + "_caseless" }

func (c caselessIndex) create(ctx context.Context, db *mongo.Database) error {
	model := mongo.IndexModel{
		Keys:    d(c.field, 1),
		Options: options.Index().SetName(c.name()).SetCollation(&options.Collation{Locale: "en", Strength: 2}),
	}
	if _, err := db.Collection(c.coll).Indexes().CreateOne(ctx, model); err != nil {
		return fmt.Errorf("demo: index on %s: %w", c.coll, err)
	}
	return nil
}

// drop removes the index; it is no error if there is none.
func (c caselessIndex) drop(ctx context.Context, db *mongo.Database) error {
	err := db.Collection(c.coll).Indexes().DropOne(ctx, c.name())
	var refused mongo.CommandError
	if errors.As(err, &refused) && refused.Name == "IndexNotFound" {
		return nil
	}
	return err
}
