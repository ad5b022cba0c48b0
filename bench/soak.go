package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// soakParts is how often a soak looks at the memory.
const soakParts = 10

// soak keeps mongoadvisor busy with requests that nothing repeats of, and prints what
// memory it has: a leak shows, and tables that are full do not.
func soak(ctx context.Context, p *places, span time.Duration, w io.Writer) error {
	upstream, addr, err := p.own("canned")
	if err != nil {
		return err
	}
	defer upstream.stop()
	t, err := p.before("on", addr)
	if err != nil {
		return err
	}
	defer t.process.stop()
	var ops atomic.Int64
	failed := make(chan error, 1)
	ctx, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	go func() {
		failed <- t.at.random(ctx, span, &ops)
		cancel()
	}()
	fmt.Fprintf(w, "%s: finds of random collections and fields, %d connections\n%10s %12s %12s %12s\n", machine(), many, "after", "operations", "MiB now", "MiB peak")
	began := time.Now()
	tick := time.NewTicker(span / soakParts)
	defer tick.Stop()
	for range soakParts {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
		now, err := t.process.memory("VmRSS")
		if err != nil {
			return err
		}
		peak, err := t.process.memory("VmHWM")
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%10s %12d %12.1f %12.1f\n", time.Since(began).Round(time.Second), ops.Load(), float64(now)/(1<<20), float64(peak)/(1<<20))
	}
	return <-failed
}

// random sends what it makes up until the time is over.
func (p place) random(ctx context.Context, span time.Duration, ops *atomic.Int64) error {
	clients := make([]*client, many)
	for i := range clients {
		c, err := p.open()
		if err != nil {
			return err
		}
		defer c.close()
		clients[i] = c
	}
	_, err := repeat(ctx, many, span, func(i int) (int64, error) {
		n, err := clients[i].turn(randomFind(), 1)
		ops.Add(1)
		return n, err
	})
	return err
}

// randomFind has a collection, fields and a depth of its own. Names are of letters,
// as those of programs.
func randomFind() []byte {
	filter := bson.D{}
	for range 1 + rand.IntN(4) {
		filter = append(filter, bson.E{Key: word(), Value: []any{1, "text", bson.D{{Key: "$gt", Value: 5}}, bson.Regex{Pattern: "^" + word(), Options: "i"}}[rand.IntN(4)]})
	}
	return message(bson.D{{Key: "find", Value: smallColl + word()}, {Key: "filter", Value: filter}, {Key: "$db", Value: "bench"}})
}

func word() string {
	b := make([]byte, 3+rand.IntN(8))
	for i := range b {
		b[i] = byte('a' + rand.IntN(26))
	}
	return string(b)
}
