package chaos

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// stage is what clients and events meet:
//
//	clients ─ TLS ─ relays ─ TLS ─ proxy ─ TLS ─ members
//
// Clients are told the relays' addresses. TLS ends at the proxy.
type stage struct {
	t         *testing.T
	authority *authority
	set       *mongod.Set
	direct    *mongo.Client // past the proxy, to see what is stored
	relays    []*relay
	proxy     *proxied
	uri       string // for clients
}

const members = 3

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, authority: newAuthority(t)}
	member, _ := s.authority.issue("member")
	tls := "&tls=true&tlsCAFile=" + s.authority.path
	s.set = mongodtest.StartSet(t, mongod.SetOptions{
		Members: members, URIArgs: tls + "&tlsCertificateKeyFile=" + member,
		// whoever shows no certificate is turned away, the proxy too
		Args: []string{"--tlsMode", "requireTLS", "--tlsCertificateKeyFile", member, "--tlsCAFile", s.authority.path},
		Logf: func(string, ...any) {},
	})
	s.direct = s.connect(s.set.URI())
	s.enlargeOplogs()
	base, listeners := ports(t)
	for i, l := range listeners {
		s.relays = append(s.relays, newRelay(t, l, address(base+i+listenersFrom)))
	}
	listen, _ := s.authority.issue("listener")
	upstream, _ := s.authority.issue("upstream")
	var hosts []string
	for _, m := range s.set.Members {
		hosts = append(hosts, m.Addr())
	}
	s.proxy = startProxy(t, address(base+9), "--topology", "--upstream", "mongodb://"+strings.Join(hosts, ",")+"/?replicaSet=rs0&tls=true",
		"--listen", address(base+listenersFrom), "--topology-advertise", fmt.Sprintf("127.0.0.1:%d{n}", base/10),
		"--listen-tls-cert", listen, "--upstream-tls-ca", s.authority.path, "--upstream-tls-cert", upstream)
	s.uri = fmt.Sprintf("mongodb://%s,%s,%s/?replicaSet=rs0&w=majority&connectTimeoutMS=10000", address(base), address(base+1), address(base+2)) + tls
	return s
}

// enlargeOplogs keeps a member that was away from having to copy everything, and
// change streams from losing their place: in a minute of load the set's usual 16
// MB are full.
func (s *stage) enlargeOplogs() {
	s.t.Helper()
	for _, m := range s.set.Members {
		c := s.connect(m.URI())
		resize := bson.D{{Key: "replSetResizeOplog", Value: 1}, {Key: "size", Value: 990.0}} // MB, the least it takes
		if err := c.Database("admin").RunCommand(s.t.Context(), resize).Err(); err != nil {
			s.t.Fatal(err)
		}
		_ = c.Disconnect(s.t.Context())
	}
}

func (s *stage) connect(uri string) *mongo.Client {
	s.t.Helper()
	c, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// listenersFrom is the distance from a relay's port to that of its listener.
const listenersFrom = 5

// ports finds ten ports below those that the system gives to connections, and
// takes those of the relays: clients are told {n} as the last digit.
func ports(t *testing.T) (base int, relays []net.Listener) {
	t.Helper()
	for range 100 {
		base = 10 * (1200 + rand.IntN(1800))
		var all []net.Listener
		for i := range 10 {
			if l, err := net.Listen("tcp", address(base+i)); err == nil {
				all = append(all, l)
			}
		}
		free := len(all) == 10
		for i, l := range all {
			if !free || i >= members {
				l.Close()
			}
		}
		if free {
			return base, all[:members]
		}
	}
	t.Fatal("no ten free ports in a row")
	return 0, nil
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
