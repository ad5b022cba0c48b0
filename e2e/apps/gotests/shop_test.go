package gotests

import (
	"errors"
	"flag"
	"os"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// shop is the database of the suite; all tests share a client and its connections.
var shop = sync.OnceValues(func() (*mongo.Database, error) {
	c, err := mongo.Connect(options.Client().ApplyURI(os.Getenv("MONGODB_URI")).SetAppName("shop-tests"))
	if err != nil {
		return nil, err
	}
	return c.Database("shop"), nil
})

func database(t *testing.T) *mongo.Database {
	t.Helper()
	if os.Getenv("MONGODB_URI") == "" {
		t.Skip("MONGODB_URI names no server")
	}
	db, err := shop()
	if err != nil {
		t.Fatal(err)
	}
	marked(t, db)
	return db
}

func TestVisitIsKept(t *testing.T) {
	db := database(t)
	// an option that belongs beside $each
	push := bson.D{{Key: "$push", Value: bson.D{{Key: "visits", Value: bson.D{{Key: "page", Value: "/"}, {Key: "$slice", Value: -10}}}}}}
	if _, err := db.Collection("customers").UpdateOne(t.Context(), bson.D{{Key: "_id", Value: 1}}, push); err != nil {
		t.Fatal(err)
	}
}

func TestOrderIsFound(t *testing.T) {
	db := database(t)
	if err := slow(t, db.Collection("orders"), ""); err != nil {
		t.Fatal(err)
	}
}

func TestReport(t *testing.T) {
	db := database(t)
	if err := slow(t, db.Collection("reports"), "at=shop/report.go:17"); err != nil {
		t.Fatal(err)
	}
}

func TestExport(t *testing.T) {
	db := database(t)
	for name, comment := range map[string]string{
		"exports": "mongoadvisor:ignore Q06 once a night", "copies": "mongoadvisor:ignore Q06", "lists": "mongoadvisor:ignore q06 wrong",
	} {
		if err := slow(t, db.Collection(name), comment); err != nil {
			t.Fatal(err)
		}
	}
}

// slow asks by a condition that no index serves.
func slow(t *testing.T, c *mongo.Collection, comment string) error {
	t.Helper()
	filter, o := bson.D{{Key: "$where", Value: "this.number == 'A-1'"}}, options.FindOne()
	if comment != "" {
		o.SetComment(comment)
	}
	err := c.FindOne(t.Context(), filter, o).Err()
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil
	}
	return err
}

// TestBeside has two tests that run at the same time.
func TestBeside(t *testing.T) {
	if flag.Lookup("test.parallel").Value.String() == "1" {
		t.Skip("they would wait for each other: want -parallel 2 or more")
	}
	var begun, asked sync.WaitGroup
	for _, name := range []string{"invoices", "returns"} {
		begun.Add(1)
		asked.Add(1)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := database(t)
			begun.Done()
			begun.Wait()
			err := slow(t, db.Collection(name), "")
			asked.Done()
			asked.Wait()
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
