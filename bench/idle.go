package main

import (
	"context"
	"time"
)

// idle is what open connections cost that do nothing.
type idle struct {
	Connections int     `json:"connections"`
	Each        float64 `json:"bytes_each"` // of resident memory
	Descriptors float64 `json:"descriptors_each"`
	Left        int     `json:"descriptors_left"` // after all are closed
	Fault       string  `json:"fault,omitempty"`  // why so many could not be opened
}

// measureIdle opens n connections, each with one hello, and closes them again.
func measureIdle(ctx context.Context, t *target, n int) (idle, error) {
	before, err := t.process.memory("VmRSS")
	if err != nil {
		return idle{}, err
	}
	fds, err := t.process.descriptors()
	if err != nil {
		return idle{}, err
	}
	clients := make([]*client, 0, n)
	defer func() {
		for _, c := range clients {
			c.close()
		}
	}()
	for len(clients) < n && ctx.Err() == nil {
		c, err := t.at.open()
		if err != nil {
			return idle{}, err
		}
		clients = append(clients, c)
		if _, err := c.turn(helloRequest, 1); err != nil {
			return idle{}, err
		}
	}
	time.Sleep(time.Second) // what is returned late is returned by now
	after, err := t.process.memory("VmRSS")
	if err != nil {
		return idle{}, err
	}
	open, err := t.process.descriptors()
	if err != nil {
		return idle{}, err
	}
	for _, c := range clients {
		c.close()
	}
	clients = nil
	left := open
	for deadline := time.Now().Add(10 * time.Second); left > fds && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if left, err = t.process.descriptors(); err != nil {
			return idle{}, err
		}
	}
	return idle{
		Connections: n, Each: float64(after-before) / float64(n), Descriptors: float64(open-fds) / float64(n), Left: max(0, left-fds),
	}, ctx.Err()
}
