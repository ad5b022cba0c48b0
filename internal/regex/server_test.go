package regex

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// patternCount is how many generated patterns the server is asked about.
const patternCount = 3000

// sample is one generated pattern with the server's answers.
type sample struct {
	pattern, options string
	class            Class
	rejected         error
	lower            string // of the string interval, "" for all strings
	indexed, all     int64  // documents found with the index and without one
}

// TestAgainstServer compares Classify with a real mongod: the bounds in explain,
// and whether the index changes how many documents a query finds.
func TestAgainstServer(t *testing.T) {
	coll := indexedCollection(t)
	samples := generateSamples(patternCount)
	askAll(t, coll, samples)

	var agreed, rejected, invalid, narrow, lost int
	reasons := map[Reason]int{}
	for _, s := range samples {
		name := fmt.Sprintf("/%s/%s (%s)", s.pattern, s.options, s.class.Reason)
		if s.class.Reason == Invalid {
			invalid++
		}
		if s.rejected != nil {
			rejected++
			continue
		}
		reasons[s.class.Reason]++
		if s.class.Reason == Invalid {
			t.Errorf("%s: the server accepts it", name)
			continue
		}
		if s.class.Prefix != s.lower {
			t.Errorf("%s: prefix %q, the server's %q", name, s.class.Prefix, s.lower)
			continue
		}
		agreed++
		if s.class.Reason == OptionalQuantifier {
			narrow++
		}
		if s.indexed != s.all {
			lost++
			if s.class.Reason != OptionalQuantifier {
				t.Errorf("%s: %d documents with the index, %d without", name, s.indexed, s.all)
			}
		}
	}
	t.Logf("%d patterns: %d agreed, %d rejected by the server (%d of them invalid here)",
		len(samples), agreed, rejected, invalid)
	t.Logf("%d lose documents through the index, of %d called %s; reasons %v", lost, narrow, OptionalQuantifier, reasons)
	if agreed < patternCount*3/4 || lost == 0 {
		t.Error("the generator no longer reaches what this test is for")
	}
}

func generateSamples(n int) []sample {
	g := newGenerator()
	samples := make([]sample, n)
	for i := range samples {
		p, o := g.pattern()
		samples[i] = sample{pattern: p, options: o, class: Classify(p, o)}
	}
	return samples
}

func indexedCollection(t *testing.T) *mongo.Collection {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(serverURI(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	ctx := t.Context()
	coll := client.Database("regex_test").Collection("s")
	if err := coll.Drop(ctx); err != nil {
		t.Fatal(err)
	}
	var docs []any
	for _, s := range subjects() {
		docs = append(docs, bson.D{{Key: "s", Value: s}})
	}
	if _, err := coll.InsertMany(ctx, docs); err != nil {
		t.Fatal(err)
	}
	if _, err := coll.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "s", Value: 1}}}); err != nil {
		t.Fatal(err)
	}
	return coll
}

// askAll fills in the server's answers, a few patterns at a time.
func askAll(t *testing.T, coll *mongo.Collection, samples []sample) {
	t.Helper()
	var wg sync.WaitGroup
	workers := min(8, runtime.GOMAXPROCS(0))
	errs := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(samples) && errs[w] == nil; i += workers {
				errs[w] = samples[i].ask(t.Context(), coll)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// ask returns an error only when the server's answer cannot be understood.
func (s *sample) ask(ctx context.Context, coll *mongo.Collection) error {
	filter := bson.D{{Key: "s", Value: bson.Regex{Pattern: s.pattern, Options: s.options}}}
	var reply struct {
		QueryPlanner struct {
			WinningPlan struct {
				InputStage struct {
					IndexBounds struct{ S []string } `bson:"indexBounds"`
				} `bson:"inputStage"`
			} `bson:"winningPlan"`
		} `bson:"queryPlanner"`
	}
	find := bson.D{{Key: "find", Value: coll.Name()}, {Key: "filter", Value: filter}}
	explain := bson.D{{Key: "explain", Value: find}, {Key: "verbosity", Value: "queryPlanner"}}
	if err := coll.Database().RunCommand(ctx, explain).Decode(&reply); err != nil {
		var refused mongo.CommandError
		if errors.As(err, &refused) {
			s.rejected = err
			return nil
		}
		return fmt.Errorf("explain /%s/%s: %w", s.pattern, s.options, err)
	}
	var err error
	if s.lower, err = lowerBound(reply.QueryPlanner.WinningPlan.InputStage.IndexBounds.S); err != nil {
		return fmt.Errorf("/%s/%s: %w", s.pattern, s.options, err)
	}
	if s.indexed, err = coll.CountDocuments(ctx, filter, options.Count().SetHint(bson.D{{Key: "s", Value: 1}})); err != nil {
		return err
	}
	s.all, err = coll.CountDocuments(ctx, filter, options.Count().SetHint(bson.D{{Key: "$natural", Value: 1}}))
	return err
}

// lowerBound reads the string interval among the bounds. Bounds are printed
// without escapes, but both ends of a prefix interval have the same length.
func lowerBound(bounds []string) (string, error) {
	for _, b := range bounds {
		if b == `["", {})` {
			return "", nil
		}
		n := (len(b) - len(`["", "")`)) / 2
		if n > 0 && strings.HasPrefix(b, `["`) && strings.HasPrefix(b[2+n:], `", "`) && strings.HasSuffix(b, `")`) {
			return b[2 : 2+n], nil
		}
	}
	return "", fmt.Errorf("no string interval in %q", bounds)
}
