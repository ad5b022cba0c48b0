package main

import (
	"context"
	"time"
)

// sweepEvery is how often findings are looked through for those that are fixed.
const sweepEvery = 5 * time.Second

// firstKeep bounds how long the start waits for findings of before.
const firstKeep = 2 * time.Second

// lastKeep bounds how long the end waits until findings are kept.
const lastKeep = 5 * time.Second

// keeping is the goroutine that looks after findings while nothing happens to them.
type keeping struct {
	end  chan struct{}
	done chan struct{}
}

// startKeeping restores what was kept, and goes on keeping until stopKeeping.
func (s *service) startKeeping() {
	k := keeping{end: make(chan struct{}), done: make(chan struct{})}
	s.keeping = k
	restored := make(chan struct{})
	go s.keepAll(k, restored)
	timer := time.NewTimer(firstKeep)
	defer timer.Stop()
	select {
	case <-restored:
	case <-timer.C: // it comes later, or not at all
	}
}

func (s *service) keepAll(k keeping, restored chan struct{}) {
	defer close(k.done)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-k.end
		cancel()
	}()
	s.keepOnce(ctx)
	close(restored)
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	save := time.NewTicker(time.Duration(s.config.Storage.Interval))
	defer save.Stop()
	for {
		select {
		case <-k.end:
			return
		case <-sweep.C:
			s.store.Sweep()
		case <-save.C:
			s.keepOnce(ctx)
		}
	}
}

// keepOnce saves when there is somewhere to save to.
func (s *service) keepOnce(ctx context.Context) {
	if s.storage != nil {
		s.storage.save(ctx, s.store, s.about())
		s.store.Mute(s.engine.Ignored) // also what others, or earlier processes, have found
	}
}

// stopKeeping keeps everything a last time. The analysis must have ended, and the sinks
// must not. It reports false when that took too long and goes on behind: a disk that
// hangs cannot be told to stop.
func (s *service) stopKeeping() (ended bool) {
	if s.keeping.end == nil { // never started
		return true
	}
	close(s.keeping.end)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		<-s.keeping.done
		s.store.Sweep()
		ctx, cancel := context.WithTimeout(context.Background(), lastKeep)
		defer cancel()
		s.keepOnce(ctx)
	}()
	timer := time.NewTimer(lastKeep + time.Second)
	defer timer.Stop()
	select {
	case <-kept:
		return true
	case <-timer.C:
		s.logger.Error("findings are not kept: what they are kept in does not answer")
		return false
	}
}
