package sink

import "time"

// retireTimeout is how long a sink that was exchanged may go on delivering what waits
// for it.
const retireTimeout = 30 * time.Second

// Route is a sink that may be exchanged for another one, and how it is served.
type Route struct {
	// Key is everything the sink is made of: a sink that runs under the same key goes
	// on, with what waits for it and the tries it has under way.
	Key     string
	Sink    Sink // not used when one runs under Key; nil only then
	Options Options
}

// Runs reports whether a sink runs under a key.
func (d *Dispatcher) Runs(key string) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.lane(key) != nil
}

// lane is the one with a key, nil for none. The caller holds mu.
func (d *Dispatcher) lane(key string) *lane {
	for _, l := range d.lanes {
		if l.key == key {
			return l
		}
	}
	return nil
}

// Exchange makes the routes the only sinks beside those that stay. New ones start; those
// that are in no route any more take nothing new, deliver what waits for them, for half a
// minute at most, and are closed. It waits for nobody.
func (d *Dispatcher) Exchange(routes []Route) {
	d.mu.Lock()
	defer d.mu.Unlock()
	wanted := map[string]bool{"": true} // those that stay
	for _, r := range routes {
		wanted[r.Key] = true
	}
	var on []*lane
	for _, l := range d.lanes {
		if wanted[l.key] || d.closed {
			on = append(on, l)
		} else {
			l.retire()
		}
	}
	d.lanes = on
	for _, r := range routes {
		if r.Sink == nil {
			continue
		}
		if d.closed || d.lane(r.Key) != nil {
			_ = r.Sink.Close() // it has done nothing yet
			continue
		}
		l := newLane(r.Sink, r.Options, d.onError, d.closing)
		l.key = r.Key
		d.start(l)
	}
}

// retire ends a lane in the background. Nobody may announce anything to it any more.
func (l *lane) retire() {
	close(l.waiting)
	time.AfterFunc(retireTimeout, l.giveUp)
}
