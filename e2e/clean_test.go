package e2e

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// cleanOperations is how many operations of a clean application must pass without
// one finding.
const cleanOperations = 50_000

// TestCleanApplication: the good halves of the lessons and the daily work of a
// shop that follows them, from several clients at once, give an empty report where
// the first occurrence counts.
func TestCleanApplication(t *testing.T) {
	server := mongodtest.Start(t)
	direct := connect(t, server.URI(), "seed")
	if err := demo.Seed(t.Context(), direct); err != nil {
		t.Fatal(err)
	}
	prepareClean(t, direct.Database("clean"))
	p := startProxy(t, server.Addr())
	var done atomic.Int64
	var group sync.WaitGroup
	for worker := range 4 {
		client := connect(t, p.uri(""), fmt.Sprintf("clean-%d", worker%2))
		shop := &cleanShop{db: client.Database("clean"), worker: worker, done: &done}
		group.Go(func() {
			for n := 0; done.Load() < cleanOperations && t.Context().Err() == nil; n++ {
				if err := shop.request(t.Context(), n); err != nil {
					t.Errorf("worker %d, request %d: %v", worker, n, err)
					return
				}
			}
		})
	}
	lessons := connect(t, p.uri(""), "shop-after").Database(demo.Database)
	for n := range 12 {
		for _, e := range demo.Exercises() {
			if e.Prefer == nil {
				continue
			}
			if err := e.Prefer(t.Context(), lessons, n); err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
		}
	}
	group.Wait()
	p.settled()
	found, coverage := p.report()
	for _, f := range found {
		t.Errorf("%s %s on %s %v, %d times: %s", f.Rule, f.Reason, f.Namespace, f.Fields, f.Count, f.Message)
	}
	if coverage["ratio"] != 1.0 || coverage["operations"].(float64) < cleanOperations {
		t.Errorf("coverage %v", coverage)
	}
}

// prepareClean makes the collections with the indexes that the queries need.
func prepareClean(t *testing.T, db *mongo.Database) {
	t.Helper()
	var customers, products []any
	for i := range 500 {
		customers = append(customers, bson.D{{Key: "_id", Value: i}, {Key: "name", Value: fmt.Sprintf("customer %d", i)}, {Key: "email", Value: fmt.Sprintf("c%d@example.com", i)}})
		products = append(products, bson.D{{Key: "_id", Value: fmt.Sprintf("sku-%d", i)}, {Key: "title", Value: "a thing"}, {Key: "price", Value: i}, {Key: "stock", Value: 1_000_000}})
	}
	for name, docs := range map[string][]any{"customers": customers, "products": products} {
		if _, err := db.Collection(name).InsertMany(t.Context(), docs); err != nil {
			t.Fatal(err)
		}
	}
	for name, keys := range map[string]bson.D{
		"customers": {{Key: "email", Value: 1}}, "orders": {{Key: "customer._id", Value: 1}, {Key: "at", Value: -1}}, "sessions": {{Key: "token", Value: 1}},
	} {
		if _, err := db.Collection(name).Indexes().CreateOne(t.Context(), mongo.IndexModel{Keys: keys}); err != nil {
			t.Fatal(err)
		}
	}
}

// cleanShop is one worker of an application that follows the advice.
type cleanShop struct {
	db     *mongo.Database
	worker int
	done   *atomic.Int64
}

// request does what one page of a shop does: a dozen operations.
func (s *cleanShop) request(ctx context.Context, n int) error {
	steps := []func(context.Context, int) error{s.login, s.browse, s.order, s.history, s.session, s.statistics}
	for _, step := range steps {
		if err := step(ctx, n*4+s.worker); err != nil {
			return err
		}
	}
	return nil
}

// did counts what was sent.
func (s *cleanShop) did(n int64, err error) error {
	s.done.Add(n)
	return err
}

func (s *cleanShop) login(ctx context.Context, n int) error {
	var customer struct {
		ID   int    `bson:"_id"`
		Name string `bson:"name"`
	}
	who := bson.D{{Key: "email", Value: fmt.Sprintf("c%d@example.com", n%500)}}
	err := s.db.Collection("customers").FindOne(ctx, who).Decode(&customer)
	return s.did(1, err)
}

func (s *cleanShop) browse(ctx context.Context, n int) error {
	products := s.db.Collection("products")
	var ids bson.A
	for i := range 10 {
		ids = append(ids, fmt.Sprintf("sku-%d", (n*7+i)%500))
	}
	cursor, err := products.Find(ctx, bson.D{{Key: "_id", Value: bson.D{{Key: "$in", Value: ids}}}}, options.Find().SetProjection(bson.D{{Key: "title", Value: 1}, {Key: "price", Value: 1}}))
	if err != nil {
		return err
	}
	var page []bson.M
	if err := cursor.All(ctx, &page); err != nil {
		return err
	}
	for _, id := range ids[:2] { // two pages are opened
		if err := products.FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Err(); err != nil {
			return err
		}
	}
	return s.did(3, nil)
}

func (s *cleanShop) order(ctx context.Context, n int) error {
	id := bson.NewObjectID()
	_, err := s.db.Collection("orders").InsertOne(ctx, bson.D{
		{Key: "_id", Value: id},
		{Key: "at", Value: time.Now()},
		{Key: "status", Value: "new"},
		{Key: "total", Value: n % 100},
		{Key: "customer", Value: bson.D{{Key: "_id", Value: n % 500}, {Key: "name", Value: "customer"}}},
		{Key: "items", Value: bson.A{bson.D{{Key: "sku", Value: fmt.Sprintf("sku-%d", n%500)}, {Key: "n", Value: 1}}}},
	})
	if err != nil {
		return err
	}
	stock := bson.D{{Key: "$inc", Value: bson.D{{Key: "stock", Value: -1}}}}
	if _, err := s.db.Collection("products").UpdateOne(ctx, bson.D{{Key: "_id", Value: fmt.Sprintf("sku-%d", n%500)}}, stock); err != nil {
		return err
	}
	recent := bson.D{{Key: "$push", Value: bson.D{{Key: "recent", Value: bson.D{{Key: "$each", Value: bson.A{id}}, {Key: "$slice", Value: -10}}}}}}
	if _, err := s.db.Collection("customers").UpdateOne(ctx, bson.D{{Key: "_id", Value: n % 500}}, recent); err != nil {
		return err
	}
	paid := bson.D{{Key: "$set", Value: bson.D{{Key: "status", Value: "paid"}}}}
	_, err = s.db.Collection("orders").UpdateOne(ctx, bson.D{{Key: "_id", Value: id}}, paid)
	return s.did(4, err)
}

func (s *cleanShop) history(ctx context.Context, n int) error {
	orders := s.db.Collection("orders")
	cursor, err := orders.Find(ctx, bson.D{{Key: "customer._id", Value: n % 500}}, options.Find().SetSort(bson.D{{Key: "at", Value: -1}}).SetLimit(20))
	if err != nil {
		return err
	}
	var page []bson.M
	if err := cursor.All(ctx, &page); err != nil {
		return err
	}
	_, err = orders.CountDocuments(ctx, bson.D{{Key: "customer._id", Value: n % 500}})
	return s.did(2, err)
}

func (s *cleanShop) session(ctx context.Context, n int) error {
	token := bson.D{{Key: "token", Value: fmt.Sprintf("t%d", n)}}
	sessions := s.db.Collection("sessions")
	if _, err := sessions.InsertOne(ctx, append(token[:1:1], bson.E{Key: "at", Value: time.Now()})); err != nil {
		return err
	}
	if err := sessions.FindOneAndUpdate(ctx, token, bson.D{{Key: "$set", Value: bson.D{{Key: "seen", Value: time.Now()}}}}).Err(); err != nil {
		return err
	}
	_, err := sessions.DeleteOne(ctx, token)
	return s.did(3, err)
}

// statistics reads what is kept up to date by the writes, as the computed pattern does.
func (s *cleanShop) statistics(ctx context.Context, n int) error {
	day := bson.D{{Key: "_id", Value: fmt.Sprintf("%d-%d", s.worker, n/1000)}}
	update := bson.D{{Key: "$inc", Value: bson.D{{Key: "orders", Value: 1}, {Key: "revenue", Value: n % 100}}}}
	stats := s.db.Collection("stats")
	if n%20 >= 4 { // counted in memory in between
		return nil
	}
	_, err := stats.UpdateOne(ctx, day, update, options.UpdateOne().SetUpsert(true))
	return s.did(1, err)
}
