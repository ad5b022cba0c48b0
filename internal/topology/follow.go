package topology

import (
	"context"
	"time"
)

// SRVInterval is how often drivers look an SRV name up again, at most.
const SRVInterval = time.Minute

// FollowSRV looks a name up again on every tick until ctx is done, and gives new
// hosts a listener. It is for routers, which tell nobody of each other: a
// replica set tells its members itself. When a lookup fails, what was found
// before stays, and failed is told; it may be nil. Hosts that are gone keep
// their listener.
func (m *Map) FollowSRV(ctx context.Context, tick <-chan time.Time, resolve func(context.Context) (SRV, error), failed func(error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		found, err := resolve(ctx)
		switch {
		case err == nil:
			m.Add(found.Hosts...)
		case failed != nil && ctx.Err() == nil:
			failed(err)
		}
	}
}
