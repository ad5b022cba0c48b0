package chaos

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"mongoadvisor/e2e/harness"
)

// TestChaos: whatever goes wrong, nothing that was acknowledged is lost or done
// twice, nothing hangs, and the proxy is afterwards as it was before.
func TestChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	p := newPlan(t)
	s := newStage(t)
	warm := s.start(s.apps("warm"))
	time.Sleep(p.warmUp())
	warm.end(s)
	before := s.proxy.rest()
	t.Logf("after the warm-up: %v", before)
	apps := s.start(s.apps("chaos"))
	happened := s.happen(p)
	apps.end(s)
	after := s.proxy.rest()
	t.Logf("at the end: %v", after)
	for _, grown := range before.compare(after) {
		t.Errorf("the proxy has %s", grown)
	}
	s.judge(happened)
}

// happen runs the plan, and tells every minute how the proxy is.
func (s *stage) happen(p *plan) (happened map[string]int) {
	s.t.Helper()
	happened = map[string]int{}
	began := time.Now()
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(time.Minute):
				s.t.Logf("%v: %v", time.Since(began).Round(time.Second), vitalsOf(s.proxy.samples()))
			}
		}
	})
	p.run(events, func(e event, random *rand.Rand) {
		s.t.Logf("%v: %s", time.Since(began).Round(time.Second), e.name)
		e.do(s, random)
		happened[e.name]++
	})
	close(over)
	watching.Wait()
	s.t.Logf("happened: %v", happened)
	return happened
}

// judge looks at what the proxy says of it all.
func (s *stage) judge(happened map[string]int) {
	s.t.Helper()
	for _, e := range events {
		if happened[e.name] == 0 {
			s.t.Errorf("it did not happen that %s", e.name)
		}
		for _, line := range e.log {
			if s.proxy.lines(line...) == 0 {
				s.t.Errorf("%s, and no line of the log has %q", e.name, line)
			}
		}
	}
	samples := s.proxy.samples()
	for _, name := range []string{
		"mongoadvisor_rule_panics_total", "mongoadvisor_tap_panics_total", "mongoadvisor_shed_messages_total", "mongoadvisor_topology_unread_connections_total",
	} {
		if n := harness.Total(samples, name, ""); n > 0 {
			s.t.Errorf("%s is %v", name, n)
		}
	}
	rewritten := harness.Total(samples, "mongoadvisor_topology_messages_total", `"rewritten"`)
	if all := harness.Total(samples, "mongoadvisor_topology_messages_total", ""); rewritten == 0 || all > rewritten {
		s.t.Errorf("%v messages were rewritten of %v that may name members", rewritten, all)
	}
	if n := harness.Total(samples, "mongoadvisor_topology_members", `"listening"`); n != members {
		s.t.Errorf("%v members have a listener", n)
	}
	undecoded := harness.Total(samples, "mongoadvisor_undecoded_messages_total", "")
	if rest := undecoded - harness.Total(samples, "mongoadvisor_undecoded_messages_total", `"cut"`); rest > 0 {
		s.t.Errorf("%v messages were not understood, beyond those that were cut", rest)
	}
	refused := func(reason string) float64 {
		return harness.Total(samples, "mongoadvisor_refused_connections_total", reason)
	}
	s.t.Logf("%v connections, refused: %v for their upstream, %v in TLS, %v otherwise; %v messages, %v of them cut, coverage %v", samples["mongoadvisor_connections_total"],
		refused(`"upstream"`), refused(`"tls"`), refused("")-refused(`"upstream"`)-refused(`"tls"`), harness.Total(samples, "mongoadvisor_messages_total", ""), undecoded, samples["mongoadvisor_coverage_ratio"])
	if found := s.proxy.get("/api/v1/findings"); strings.Contains(found, `"bypass"`) {
		s.t.Error("a finding says that clients go round the proxy")
	}
}
