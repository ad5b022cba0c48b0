package topology

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"mongoadvisor/internal/dnstest"
)

func TestResolveSRV(t *testing.T) {
	two := []dnsmessage.SRVResource{dnstest.SRV("b.test.example.", 27018), dnstest.SRV("A.test.example.", 27017)}
	z := &dnstest.Zone{
		SRV: map[string][]dnsmessage.SRVResource{
			"_mongodb._tcp.plain.test.example.":      two,
			"_mongodb._tcp.set.test.example.":        two,
			"_other._tcp.named.test.example.":        two[:1],
			"_mongodb._tcp.foreign.test.example.":    {dnstest.SRV("a.evil.example.", 1)},
			"_mongodb._tcp.lookalike.test.example.":  {dnstest.SRV("a.nottest.example.", 1)},
			"_mongodb._tcp.up.test.example.":         {dnstest.SRV("test.example.", 1)},
			"_mongodb._tcp.twotxt.test.example.":     two,
			"_mongodb._tcp.badtxt.test.example.":     two,
			"_mongodb._tcp.unknowntxt.test.example.": two,
			"_mongodb._tcp.short.example.":           {dnstest.SRV("a.short.example.", 1)},
			"_mongodb._tcp.beside.example.":          {dnstest.SRV("a.example.", 1)},
			"_mongodb._tcp.itself.example.":          {dnstest.SRV("itself.example.", 1)},
			"_mongodb._tcp.localhost.":               {dnstest.SRV("a.localhost.", 1)},
		},
		TXT: map[string][][]string{
			"set.test.example.":        {{"replicaSet=rs0&auth", "Source=it%20is"}},
			"twotxt.test.example.":     {{"replicaSet=rs0"}, {"authSource=x"}},
			"badtxt.test.example.":     {{"replicaSet"}},
			"unknowntxt.test.example.": {{"replicaSet=rs0&tls=false"}},
		},
	}
	r := z.Resolver(t)
	both := []string{"a.test.example:27017", "b.test.example:27018"}
	for _, c := range []struct {
		host    string
		opts    SRVOptions
		want    []string
		options []Option
		err     string
	}{
		{host: "plain.test.example", want: both},
		{host: "Plain.Test.example.", want: both},
		{host: "plain.test.example", opts: SRVOptions{MaxHosts: 1}, want: both[:1]},
		{host: "plain.test.example", opts: SRVOptions{MaxHosts: 9}, want: both},
		{host: "set.test.example", want: both, options: []Option{{"replicaSet", "rs0"}, {"authSource", "it is"}}},
		{host: "set.test.example", opts: SRVOptions{MaxHosts: 1}, err: "srvMaxHosts"},
		{host: "named.test.example", opts: SRVOptions{Service: "other"}, want: both[1:]},
		{host: "short.example", want: []string{"a.short.example:1"}},
		{host: "localhost", want: []string{"a.localhost:1"}},
		{host: "foreign.test.example", err: "a.evil.example, which is not in its domain"},
		{host: "lookalike.test.example", err: "not in its domain"},
		{host: "up.test.example", err: "not in its domain"},
		{host: "beside.example", err: "not in its domain"},
		{host: "itself.example", err: "not in its domain"},
		{host: "twotxt.test.example", err: "2 TXT records"},
		{host: "badtxt.test.example", err: "name=value"},
		{host: "unknowntxt.test.example", err: "only replicaSet"},
		{host: "absent.test.example", err: "SRV records of absent.test.example"},
		{host: "plain.test.example:27017", err: "without port"},
		{host: "127.0.0.1", err: "host name"},
		{host: "", err: "host name"},
	} {
		got, err := ResolveSRV(t.Context(), r, c.host, c.opts)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: got %v, %v, want error %q", c.host, got, err, c.err)
			}
		case err != nil || !slices.Equal(got.Hosts, c.want) || !slices.Equal(got.Options, c.options):
			t.Errorf("%q: got %v, %v, want %v %v", c.host, got, err, c.want, c.options)
		}
	}
}

// New hosts get a listener; a lookup that fails, or hosts that are gone, take
// none away.
func TestFollowSRV(t *testing.T) {
	const name = "_mongodb._tcp.r.test.example."
	z := &dnstest.Zone{SRV: map[string][]dnsmessage.SRVResource{name: {dnstest.SRV("b.test.example.", 1)}}}
	r := z.Resolver(t)
	set := func(hosts ...dnsmessage.SRVResource) {
		z.Lock()
		defer z.Unlock()
		z.SRV[name] = hosts
	}
	m := NewMap(Config{Listen: func(member string, _ int) (string, error) { return "to-" + member, nil }})
	tick, failures := make(chan time.Time), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		m.FollowSRV(ctx, tick, func(ctx context.Context) (SRV, error) { return ResolveSRV(ctx, r, "r.test.example", SRVOptions{}) }, func(err error) { failures <- err })
	})
	tick <- time.Time{}
	await(t, "the first host is there", func() bool { return len(m.Members()) == 1 })
	set()
	tick <- time.Time{}
	if err := <-failures; err == nil {
		t.Error("no error")
	}
	set(dnstest.SRV("a.test.example.", 2))
	tick <- time.Time{}
	await(t, "the second host is there", func() bool { return len(m.Members()) == 2 })
	cancel()
	done.Wait()
	want := []Member{{Name: "b.test.example:1", Addr: "to-b.test.example:1"}, {Name: "a.test.example:2", Addr: "to-a.test.example:2"}}
	if got := m.Members(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
