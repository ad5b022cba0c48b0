package e2e

import (
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
	"mongoadvisor/internal/dnstest"
)

// TestRunBehindASRVName: the command gets listeners in place of the name, and the options
// that DNS has for it; it need not ask DNS, nor speak TLS.
func TestRunBehindASRVName(t *testing.T) {
	set := mongodtest.StartSet(t, mongod.SetOptions{})
	primary, err := set.Primary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	addAda(t, primary)
	z := &dnstest.Zone{
		SRV: map[string][]dnsmessage.SRVResource{"_mongodb._tcp.cluster.test.example.": {srvRecord(t, "a.test.example.", set.Members[0].Addr()), srvRecord(t, "b.test.example.", set.Members[1].Addr())}},
		TXT: map[string][][]string{"cluster.test.example.": {{"authSource=admin&replicaSet=rs0"}}},
		A:   map[string][4]byte{"a.test.example.": {127, 0, 0, 1}, "b.test.example.": {127, 0, 0, 1}},
	}
	s := suite{by: withResolver(t, z), env: []string{"MONGODB_URI=mongodb+srv://" + ada + "@cluster.test.example/shop?tls=false&retryWrites=true"}}
	s.run(t, func(variable func(string) string) {
		uri := variable("MONGODB_URI")
		if got := parts(t, uri, 3); got != "retryWrites=true&authSource=admin&replicaSet=rs0" {
			t.Errorf("options %s", got)
		}
		badQuery(t, uri, "shop", loggedIn)
	})
	s.judged(t, "shop.c")
}
