package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"golang.org/x/net/dns/dnsmessage"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/internal/dnstest"
)

// nameServer is where the zone listens: resolv.conf cannot name another port.
const nameServer = "127.53.27.17"

// withResolver starts a program that asks the zone for names, in a mount
// namespace of its own with another resolv.conf.
func withResolver(t *testing.T, z *dnstest.Zone) func(string, ...string) *exec.Cmd {
	t.Helper()
	rootFor(t, "another resolv.conf, in a mount namespace,")
	needs(t, "unshare", "mount")
	z.Serve(t, nameServer+":53")
	conf := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(conf, []byte("nameserver "+nameServer+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return func(name string, args ...string) *exec.Cmd {
		return exec.Command("unshare", append([]string{"--mount", "sh", "-c", `mount --bind "$0" /etc/resolv.conf && exec "$@"`, conf, name}, args...)...)
	}
}

// srvRecord points at a server on this machine.
func srvRecord(t *testing.T, target, address string) dnsmessage.SRVResource {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return dnstest.SRV(target, uint16(port))
}

// A name in DNS stands for some members of a set; all get a listener, under the
// names that the set has for them.
func TestSRVOfReplicaSet(t *testing.T) {
	set := mongodtest.StartSet(t, mongod.SetOptions{})
	z := &dnstest.Zone{
		SRV: map[string][]dnsmessage.SRVResource{"_mongodb._tcp.cluster.test.example.": {srvRecord(t, "b.test.example.", set.Members[1].Addr()), srvRecord(t, "a.test.example.", set.Members[0].Addr())}},
		TXT: map[string][][]string{"cluster.test.example.": {{"replicaSet=rs0"}}},
		A:   map[string][4]byte{"a.test.example.": {127, 0, 0, 1}, "b.test.example.": {127, 0, 0, 1}},
	}
	p := launch{by: withResolver(t, z)}.proxy(t, "mongodb+srv://cluster.test.example/?tls=false", "--topology", "--listen", "127.0.0.1:0")
	uri := p.connectionString()
	if n := strings.Count(uri, "127.0.0.1:"); n != 3 || !strings.HasSuffix(uri, "/?replicaSet=rs0") {
		t.Errorf("connection string %s: want three listeners and replicaSet=rs0", uri)
	}
	insertOne(t, uri)
}

// Routers tell nobody of each other: each host in DNS gets a listener. A
// standalone server is as silent as a router.
func TestSRVOfRouters(t *testing.T) {
	one, two := mongodtest.Start(t), mongodtest.Start(t)
	z := &dnstest.Zone{
		SRV: map[string][]dnsmessage.SRVResource{"_mongodb._tcp.cluster.test.example.": {srvRecord(t, "a.test.example.", one.Addr()), srvRecord(t, "b.test.example.", two.Addr())}},
		A:   map[string][4]byte{"a.test.example.": {127, 0, 0, 1}, "b.test.example.": {127, 0, 0, 1}},
	}
	p := launch{by: withResolver(t, z)}.proxy(t, "mongodb+srv://cluster.test.example/?tls=false", "--topology", "--listen", "127.0.0.1:0")
	hosts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(p.connectionString(), "mongodb://"), "/"), ",")
	if len(hosts) != 2 {
		t.Fatalf("listeners %v, want one for each server", hosts)
	}
	for _, h := range hosts {
		insertOne(t, "mongodb://"+h+"/")
	}
	for _, s := range []*mongod.Process{one, two} {
		n, err := connect(t, "mongodb://"+s.Addr()+"/", "srv").Database("shop").Collection("c").CountDocuments(t.Context(), bson.D{})
		if err != nil || n != 1 {
			t.Errorf("a server has %d documents, %v; want 1", n, err)
		}
	}
}

// A name that DNS does not know ends the start, and says so.
func TestSRVUnknown(t *testing.T) {
	command := withResolver(t, &dnstest.Zone{})
	out, err := command(program, "proxy", "--topology", "--listen", "127.0.0.1:0", "--web.listen-address", "", "--upstream", "mongodb+srv://absent.test.example").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "SRV records of absent.test.example") {
		t.Errorf("%v: %s", err, out)
	}
}

func insertOne(t *testing.T, uri string) {
	t.Helper()
	if _, err := connect(t, uri, "srv").Database("shop").Collection("c").InsertOne(t.Context(), bson.D{{Key: "a", Value: 1}}); err != nil {
		t.Fatal(err)
	}
}
