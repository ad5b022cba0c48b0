package chaos

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// app is one client and what it does over and over.
type app struct {
	name   string
	uri    string // options beyond those of the stage
	step   func(*app, context.Context) error
	verify func(*app, context.Context) // at the end, past the proxy; nil: nothing is stored
	pause  time.Duration               // between two steps

	t      *testing.T
	client *mongo.Client // through the proxy
	direct *mongo.Client
	n      int // of the step
	failed map[string]int
}

// opLimit is what an operation may take, retries and elections included. The
// driver itself gives up a server selection after 30 s.
const opLimit = 75 * time.Second

// do runs one operation and reports it when it hangs. Operations may fail: what
// must hold is what they promised when they did not.
func (a *app) do(f func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(context.Background(), opLimit)
	defer cancel()
	err := f(ctx)
	if ctx.Err() != nil {
		a.t.Errorf("%s: step %d hangs: %v", a.name, a.n, err)
	}
	if err != nil {
		a.failed[kindOf(err)]++
	}
	return err == nil
}

// kindOf shortens an error to what is worth counting.
func kindOf(err error) string {
	text := err.Error()
	for _, kind := range []string{"server selection", "connection reset", "EOF", "pool", "i/o timeout", "TransientTransaction", "NotWritablePrimary", "InterruptedDueToReplStateChange", "handshake"} {
		if strings.Contains(text, kind) {
			return kind
		}
	}
	return text[:min(len(text), 120)]
}

// crowd is all apps of one phase.
type crowd struct {
	apps  []*app
	stop  chan struct{}
	group sync.WaitGroup
}

func (s *stage) start(apps []*app) *crowd {
	c := &crowd{apps: apps, stop: make(chan struct{})}
	for _, a := range apps {
		a.t, a.direct, a.failed = s.t, s.direct, map[string]int{}
		client, err := mongo.Connect(options.Client().ApplyURI(s.uri + a.uri).SetAppName(a.name))
		s.must(err)
		a.client = client
		c.group.Go(func() { a.run(c.stop) })
	}
	return c
}

func (a *app) run(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(a.pause):
			a.n++
			a.do(func(ctx context.Context) error { return a.step(a, ctx) })
		}
	}
}

// end stops the steps. Then nothing is wrong any more, and each client must do
// its work again; what it was promised is compared with what is stored.
func (c *crowd) end(s *stage) {
	s.t.Helper()
	close(c.stop)
	ended := make(chan struct{})
	go func() {
		c.group.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(2 * opLimit):
		s.t.Fatal("an operation hangs that has a deadline")
	}
	for _, a := range c.apps {
		eventually(s.t, a.name+" works again", func() bool {
			a.n++
			return a.do(func(ctx context.Context) error { return a.step(a, ctx) })
		})
	}
	for _, a := range c.apps {
		if a.verify != nil {
			a.verify(a, s.t.Context())
		}
	}
	for _, a := range c.apps {
		ctx, cancel := context.WithTimeout(context.Background(), guard)
		if err := a.client.Disconnect(ctx); err != nil {
			s.t.Errorf("%s: %v", a.name, err)
		}
		cancel()
		s.t.Logf("%s: %d steps%s", a.name, a.n, a.failures())
	}
}

func (a *app) failures() string {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(a.failed)) {
		fmt.Fprintf(&b, ", %d × %s", a.failed[kind], kind)
	}
	return b.String()
}
