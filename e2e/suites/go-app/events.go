package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// seenEvents collects words; drivers call back from many goroutines.
type seenEvents struct {
	mu    sync.Mutex
	words []string
}

func (s *seenEvents) add(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.words = append(s.words, fmt.Sprintf(format, args...))
}

func (s *seenEvents) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.words)
}

func events() []test {
	return []test{
		{name: "event/commands and outcomes", run: func(a *app) error {
			var seen seenEvents
			c, err := a.second(options.Client().SetMonitor(&event.CommandMonitor{
				Succeeded: func(_ context.Context, e *event.CommandSucceededEvent) { seen.add("%s", e.CommandName) },
				Failed:    func(_ context.Context, e *event.CommandFailedEvent) { seen.add("%s failed", e.CommandName) },
			}))
			if err != nil {
				return err
			}
			things := c.Database(a.db.Name()).Collection("things")
			_, err1 := things.InsertMany(a, numbered(0, 10))
			cursor, err2 := things.Find(a, bson.D{}, options.Find().SetBatchSize(3))
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			var got []bson.Raw
			err1 = cursor.All(a, &got)
			_ = things.Database().RunCommand(a, d("noSuchCommand", 1)).Err()
			err2 = c.Disconnect(a)
			words := strings.Join(slices.DeleteFunc(seen.all(), func(s string) bool { return strings.HasPrefix(s, "sasl") }), " ")
			return errors.Join(err1, err2, want("commands", words, "insert find getMore getMore getMore noSuchCommand failed endSessions"))
		}},
		{name: "event/topology", run: func(a *app) error {
			var seen seenEvents
			c, err := a.second(options.Client().SetServerMonitor(&event.ServerMonitor{
				TopologyDescriptionChanged: func(e *event.TopologyDescriptionChangedEvent) {
					kinds := map[string]int{}
					for _, s := range e.NewDescription.Servers {
						kinds[s.Kind]++
					}
					seen.add("%s %v", e.NewDescription.Kind, kinds)
				},
				ServerHeartbeatFailed: func(e *event.ServerHeartbeatFailedEvent) { seen.add("heartbeat failed: %v", e.Failure) },
			}))
			if err != nil {
				return err
			}
			defer func() { _ = c.Disconnect(context.WithoutCancel(a)) }()
			for ; a.Err() == nil; time.Sleep(10 * time.Millisecond) {
				if err := c.Ping(a, nil); err != nil {
					return err
				}
				words := seen.all()
				if len(words) == 0 {
					continue
				}
				switch words[len(words)-1] {
				case "Single map[Standalone:1]", "Single map[RSPrimary:1]", "ReplicaSetWithPrimary map[RSPrimary:1 RSSecondary:2]":
					return nil
				}
			}
			return fmt.Errorf("topology: %v", seen.all())
		}},
		{name: "event/one connection for one at a time", run: func(a *app) error {
			var seen seenEvents
			c, err := a.second(options.Client().SetPoolMonitor(&event.PoolMonitor{Event: func(e *event.PoolEvent) {
				switch e.Type {
				case event.ConnectionReady, event.ConnectionPoolCleared:
					seen.add("%s", e.Type)
				}
			}}))
			if err != nil {
				return err
			}
			defer func() { _ = c.Disconnect(context.WithoutCancel(a)) }()
			for range 30 {
				if err := c.Ping(a, nil); err != nil {
					return err
				}
			}
			return want("events", strings.Join(seen.all(), " "), "ConnectionReady")
		}},
		{name: "event/pool is cleared once after a closed connection", run: func(a *app) error {
			var seen seenEvents
			c, err := a.second(options.Client().SetRetryReads(false).SetPoolMonitor(&event.PoolMonitor{Event: func(e *event.PoolEvent) {
				if e.Type == event.ConnectionPoolCleared {
					seen.add("%s", e.Type)
				}
			}}))
			if err != nil {
				return err
			}
			defer func() { _ = c.Disconnect(context.WithoutCancel(a)) }()
			things := c.Database(a.db.Name()).Collection("things")
			if err := things.FindOne(a, bson.D{}).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
				return fmt.Errorf("of an empty collection: %w", err)
			}
			end, err := a.failing(d("times", 1), bson.D{{Key: "failCommands", Value: bson.A{"find"}}, {Key: "closeConnection", Value: true}})
			if err != nil {
				return err
			}
			defer end()
			broken := things.FindOne(a, bson.D{}).Err()
			whole := things.FindOne(a, bson.D{}).Err()
			return errors.Join(want("network error", mongo.IsNetworkError(broken), true), want("then", errors.Is(whole, mongo.ErrNoDocuments), true),
				want("cleared", len(seen.all()), 1))
		}},
	}
}
