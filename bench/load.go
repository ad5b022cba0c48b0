package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// load is work that is repeated for some time.
type load struct {
	name  string
	about string // for people
	unit  string // of its rate
	run   func(ctx context.Context, at place, span time.Duration) (sample, error)
}

const many = 32 // connections

// cannedLoads are those against the upstream that answers from memory.
var cannedLoads = []load{
	{"find1", "find of one small document, 1 connection", "ops/s", turns(1, 1, findRequest)},
	{"find32", "find of one small document, 32 connections", "ops/s", turns(many, 1, findRequest)},
	{"insert32", "insert of 1 KiB, 32 connections", "ops/s", turns(many, 1, insertRequest)},
	{"bulk", "replies of 8 MiB, 2 connections", "replies/s", turns(2, 1, bulkRequest)},
	{"pipelined", "16 finds sent at once, 8 connections", "turns/s", turns(8, 16, findRequest)},
	{"churn", "connect, hello, close; 8 at a time", "conns/s", churn(8)},
}

// loadNames are the names of all loads; most of them run against either upstream.
func loadNames() []string {
	var names []string
	for _, l := range slices.Concat(cannedLoads, mongodLoads) {
		if !slices.Contains(names, l.name) {
			names = append(names, l.name)
		}
	}
	return names
}

// turns repeats a request on some connections, each in its own goroutine.
func turns(conns, pipelined int, request []byte) func(context.Context, place, time.Duration) (sample, error) {
	return func(ctx context.Context, at place, span time.Duration) (sample, error) {
		clients := make([]*client, conns)
		for i := range clients {
			c, err := at.open()
			if err != nil {
				return sample{}, err
			}
			defer c.close()
			if _, err := c.turn(helloRequest, 1); err != nil {
				return sample{}, err
			}
			clients[i] = c
		}
		return repeat(ctx, conns, span, func(i int) (int64, error) { return clients[i].turn(request, pipelined) })
	}
}

func churn(workers int) func(context.Context, place, time.Duration) (sample, error) {
	return func(ctx context.Context, at place, span time.Duration) (sample, error) {
		return repeat(ctx, workers, span, func(int) (int64, error) {
			c, err := at.open()
			if err != nil {
				return 0, err
			}
			defer c.close()
			return c.turn(helloRequest, 1)
		})
	}
}

// repeat calls one from each of n goroutines until span is over. Its figures
// are those of calls that ended without an error; the first error ends all.
func repeat(ctx context.Context, n int, span time.Duration, one func(worker int) (int64, error)) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		all   []time.Duration
		s     sample
		fault error
	)
	began := time.Now()
	for i := range n {
		group.Go(func() {
			var own []time.Duration
			var bytes int64
			var err error
			for last := time.Now(); ctx.Err() == nil && err == nil; {
				var size int64
				if size, err = one(i); err == nil {
					now := time.Now()
					own, bytes, last = append(own, now.Sub(last)), bytes+size, now
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all, s.Bytes = append(all, own...), s.Bytes+bytes
			if err != nil {
				fault = err
				cancel()
			}
		})
	}
	group.Wait()
	s.Elapsed, s.Ops = time.Since(began), int64(len(all))
	s.times(all)
	if fault == nil && s.Ops == 0 {
		fault = errors.New("nothing was done in time")
	}
	return s, fault
}
