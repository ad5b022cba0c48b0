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
	seed   uint64
	random *rand.Rand // of the order
}

func newPlan(t *testing.T) *plan {
	t.Helper()
	p := &plan{length: 30 * time.Second, seed: uint64(time.Now().UnixNano())}
	var err error
	if s := os.Getenv(envLength); s != "" {
		if p.length, err = time.ParseDuration(s); err != nil {
			t.Fatalf("%s: %v", envLength, err)
		}
	}
	if s := os.Getenv(envSeed); s != "" {
		if p.seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("%s: %v", envSeed, err)
		}
	}
	t.Logf("%s=%d repeats the order of events", envSeed, p.seed)
	p.random = p.draws(0)
	return p
}

// warmUp is how long everything works first, so that what is cached is.
func (p *plan) warmUp() time.Duration { return min(max(p.length/10, 5*time.Second), time.Minute) }

// draws are the random numbers of one event, or with 0 those of the order: how
// many an event takes depends on what it meets, and must not change what follows.
func (p *plan) draws(n uint64) *rand.Rand { return rand.New(rand.NewPCG(p.seed, n)) }

// run has every kind of event happen once, in a random order, and again until
// the time is over. At least one round is done.
func (p *plan) run(events []event, each func(event, *rand.Rand)) {
	end := time.Now().Add(p.length)
	for n := uint64(0); ; {
		for _, i := range p.random.Perm(len(events)) {
			if n >= uint64(len(events)) && time.Now().After(end) {
				return
			}
			n++
			random := p.draws(n)
			sleep(random, 100*time.Millisecond, 2*time.Second)
			each(events[i], random)
		}
		if time.Now().After(end) {
			return
		}
	}
}

// sleep waits for a time between two.
func sleep(random *rand.Rand, least, most time.Duration) {
	time.Sleep(least + time.Duration(random.Int64N(int64(most-least))))
}
