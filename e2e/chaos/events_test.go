package chaos

import (
	"context"
	"crypto/tls"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"mongoadvisor/internal/demo/mongod"
)

// event is one way in which things go wrong. It returns when its traces are
// gone, apart from what clients make of it.
type event struct {
	name string
	do   func(*stage, *rand.Rand)
	log  [][]string // parts of the lines of the proxy's log that tell of it
}

// events are all of them. Of a connection that is cut the log says nothing:
// clients do that every day.
var events = []event{
	{"the primary is killed", func(s *stage, random *rand.Rand) { s.kill(random, s.primary()) }, [][]string{{"upstream unreachable"}, {"upstream is back"}, {`"event":"primary"`}}},
	{"a secondary is killed", func(s *stage, random *rand.Rand) { s.kill(random, s.secondary(random)) }, [][]string{{"upstream unreachable"}, {"upstream is back"}}},
	{"the primary steps down", (*stage).stepDown, [][]string{{`"event":"primary"`}}},
	{"a member restarts", func(s *stage, random *rand.Rand) { s.restart(s.set.Members[random.IntN(members)]) }, nil},
	{"the primary freezes", func(s *stage, random *rand.Rand) { s.freeze(random, s.primary()) }, [][]string{{`"event":"primary"`}}},
	{"some connections are cut", func(s *stage, random *rand.Rand) { s.cut(random, 0.5) }, nil},
	{"all connections are cut", func(s *stage, random *rand.Rand) { s.cut(random, 1) }, nil},
	{"certificates are renewed", func(s *stage, _ *rand.Rand) { s.renew() }, [][]string{{"certificates have changed; new", "listen-tls"}, {"certificates have changed; new", "upstream-tls"}}},
	{"a certificate is half written", func(s *stage, _ *rand.Rand) { s.spoil() }, [][]string{{"cannot be used", "listen-tls"}}},
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) primary() *mongod.Process {
	s.t.Helper()
	p, err := s.set.Primary(s.t.Context())
	s.must(err)
	return p
}

func (s *stage) secondary(random *rand.Rand) *mongod.Process {
	s.t.Helper()
	primary := s.primary()
	for {
		if m := s.set.Members[random.IntN(members)]; m != primary {
			return m
		}
	}
}

func (s *stage) kill(random *rand.Rand, m *mongod.Process) {
	s.t.Helper()
	s.must(m.Kill())
	sleep(random, time.Second, 4*time.Second)
	s.restart(m)
}

func (s *stage) restart(m *mongod.Process) {
	s.t.Helper()
	s.must(m.Restart(s.t.Context()))
	s.must(s.set.Await(s.t.Context()))
}

func (s *stage) stepDown(*rand.Rand) {
	s.t.Helper()
	s.must(s.set.StepDown(s.t.Context()))
}

// freeze stops a member's process for longer than the others wait for it. Its
// connections stay open, and nothing answers on them.
func (s *stage) freeze(random *rand.Rand, m *mongod.Process) {
	s.t.Helper()
	c := s.connect(m.URI())
	var status struct{ PID int }
	s.must(c.Database("admin").RunCommand(s.t.Context(), bson.D{{Key: "serverStatus", Value: 1}}).Decode(&status))
	s.must(c.Disconnect(s.t.Context()))
	s.must(syscall.Kill(status.PID, syscall.SIGSTOP))
	sleep(random, 3*time.Second, 5*time.Second)
	s.must(syscall.Kill(status.PID, syscall.SIGCONT))
	s.must(s.set.Await(s.t.Context()))
}

func (s *stage) cut(random *rand.Rand, share float64) {
	n := 0
	for _, r := range s.relays {
		n += r.cut(random, share)
	}
	s.t.Logf("%d connections cut", n)
}

// renew gives the proxy new certificates for both sides, and waits until
// clients are shown the new one.
func (s *stage) renew() {
	s.t.Helper()
	s.authority.issue("upstream")
	_, serial := s.authority.issue("listener")
	eventually(s.t, "the proxy shows its new certificate", func() bool { return s.shown() == serial })
}

// spoil leaves a certificate half written for a while: the one before goes on to
// be shown.
func (s *stage) spoil() {
	s.t.Helper()
	path := filepath.Join(s.authority.dir, "listener.pem")
	whole, err := os.ReadFile(path)
	s.must(err)
	said := s.proxy.lines("cannot be used", "listen-tls")
	serial := s.shown()
	s.must(os.WriteFile(path, whole[:len(whole)/2], 0o600))
	eventually(s.t, "the log says that the certificate cannot be used", func() bool {
		if now := s.shown(); now != serial && now != 0 {
			s.t.Errorf("certificate %d is shown, %d before it was spoilt", now, serial)
		}
		return s.proxy.lines("cannot be used", "listen-tls") > said
	})
	s.renew()
}

// shown is the serial number of the certificate that a new client is shown; 0
// when the connection cannot be made just now.
func (s *stage) shown() int64 {
	d := tls.Dialer{Config: &tls.Config{RootCAs: s.authority.Pool(), ServerName: "127.0.0.1"}}
	for _, r := range s.relays {
		ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Second)
		c, err := d.DialContext(ctx, "tcp", r.l.Addr().String())
		cancel()
		if err == nil {
			defer c.Close()
			return c.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.Int64()
		}
	}
	return 0
}
