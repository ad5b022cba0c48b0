package chaos

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// What a run takes from the environment.
const (
	envLength = "MONGOADVISOR_CHAOS"      // how long things go wrong, as 30m
	envSeed   = "MONGOADVISOR_CHAOS_SEED" // of the order of events
)

// plan is what goes wrong, and in which order: the same for the same seed. When
// exactly depends on how fast members come back.
type plan struct {
	length time.Duration
	random *rand.Rand
}

func newPlan(t *testing.T) *plan {
	t.Helper()
	p := &plan{length: 30 * time.Second}
	seed := uint64(time.Now().UnixNano())
	var err error
	if s := os.Getenv(envLength); s != "" {
		if p.length, err = time.ParseDuration(s); err != nil {
			t.Fatalf("%s: %v", envLength, err)
		}
	}
	if s := os.Getenv(envSeed); s != "" {
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("%s: %v", envSeed, err)
		}
	}
	t.Logf("%s=%d repeats the order of events", envSeed, seed)
	p.random = rand.New(rand.NewPCG(seed, seed))
	return p
}

// warmUp is how long everything works first, so that what is cached is.
func (p *plan) warmUp() time.Duration { return min(max(p.length/10, 5*time.Second), time.Minute) }

// pause is a time between two lengths.
func (p *plan) pause(from, to time.Duration) time.Duration {
	return from + time.Duration(p.random.Int64N(int64(to-from)))
}

// run has every kind of event happen once, in a random order, and again until
// the time is over. At least one round is done.
func (p *plan) run(events []event, each func(event)) {
	end := time.Now().Add(p.length)
	for round := 0; ; round++ {
		for _, i := range p.random.Perm(len(events)) {
			if round > 0 && time.Now().After(end) {
				return
			}
			time.Sleep(p.pause(100*time.Millisecond, 2*time.Second))
			each(events[i])
		}
		if time.Now().After(end) {
			return
		}
	}
}
