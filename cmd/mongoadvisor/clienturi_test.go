package main

import (
	"strings"
	"testing"

	"mongoadvisor/internal/topology"
)

// TestClientURI: who, what and how stay; where to, and TLS on the way, become the
// proxy's.
func TestClientURI(t *testing.T) {
	one, two := []string{"127.0.0.1:5001"}, []string{"127.0.0.1:5001", "127.0.0.1:5002"}
	for _, tt := range []struct {
		in, upstream, out string
		listeners         []string
		txt               []topology.Option
	}{
		{in: "mongodb://localhost", upstream: "mongodb://localhost/?", out: "mongodb://127.0.0.1:5001/?directConnection=true", listeners: one},
		{in: "mongodb://db1:27018/shop?w=majority&appName=tests", upstream: "mongodb://db1:27018/?", out: "mongodb://127.0.0.1:5001/shop?w=majority&appName=tests&directConnection=true", listeners: one},
		{in: "mongodb://ada:p%40ss%2Fword@db1/shop?authSource=admin&directConnection=true", upstream: "mongodb://db1/?", out: "mongodb://ada:p%40ss%2Fword@127.0.0.1:5001/shop?authSource=admin&directConnection=true", listeners: one},
		{in: "mongodb://ada:x@db1,db2:27018/?replicaSet=rs0&readPreference=secondary", upstream: "mongodb://db1,db2:27018/?", out: "mongodb://ada:x@127.0.0.1:5001,127.0.0.1:5002/?replicaSet=rs0&readPreference=secondary", listeners: two},
		{in: "mongodb://db1/?replicaSet=rs0", upstream: "mongodb://db1/?", out: "mongodb://127.0.0.1:5001,127.0.0.1:5002/?replicaSet=rs0", listeners: two},
		{in: "mongodb://db1/?tls=true&tlsCAFile=%2Fca.pem&w=1", upstream: "mongodb://db1/?tls=true", out: "mongodb://127.0.0.1:5001/?w=1&directConnection=true", listeners: one},
		{in: "mongodb+srv://ada:x@cluster.example.net/shop?retryWrites=true&authSource=own&srvMaxHosts=2", upstream: "mongodb+srv://cluster.example.net/?srvMaxHosts=2", out: "mongodb://ada:x@127.0.0.1:5001,127.0.0.1:5002/shop?retryWrites=true&authSource=own&replicaSet=atlas", listeners: two, txt: []topology.Option{{Name: "authSource", Value: "admin"}, {Name: "replicaSet", Value: "atlas"}}},
		{in: "mongodb://ada:p%40ss%3Aw%2Frd@%2Ftmp%2Fmongodb-27017.sock/shop?w=1", upstream: "mongodb://%2Ftmp%2Fmongodb-27017.sock/?", out: "mongodb://ada:p%40ss%3Aw%2Frd@127.0.0.1:5001/shop?w=1&directConnection=true", listeners: one},
		{in: "mongodb://[::1]:27017/", upstream: "mongodb://[::1]:27017/?", out: "mongodb://127.0.0.1:5001/?directConnection=true", listeners: one},
	} {
		u, err := parseClientURI("MONGODB_URI", tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		if got := u.upstream(); got != tt.upstream {
			t.Errorf("%s: upstream %s, want %s", tt.in, got, tt.upstream)
		}
		if got := u.through(tt.listeners, tt.txt, !u.several()); got != tt.out {
			t.Errorf("%s: becomes %s, want %s", tt.in, got, tt.out)
		}
	}
	for _, in := range []string{"", "localhost:27017", "http://localhost", "mongodb://", "mongodb:///shop", "mongodb://ada:x@/shop", "mongodb://ada:pen?cil@db1", "mongodb://db1:pencil", "mongodb://ada:x@db1,,db2"} {
		if u, err := parseClientURI("MONGODB_URI", in); err == nil || strings.Contains(err.Error(), "pen") {
			t.Errorf("%q was read as %+v, %v", in, u, err)
		}
	}
	u, err := parseClientURI("MONGODB_URI", "mongodb://db1/?tls=true&tlsCAFile=%2Fca.pem&tlsCertificateKeyFile=me.pem&tlsAllowInvalidHostnames=true")
	if err != nil {
		t.Fatal(err)
	}
	var e Edges
	u.secure(&e)
	if e.UpstreamTLSCA != "/ca.pem" || e.UpstreamTLSCert != "me.pem" || e.UpstreamTLSKey != "me.pem" || !e.UpstreamTLSInsecure {
		t.Errorf("%+v", e)
	}
}

// TestFreshURI: an empty server has neither users nor a set; what is the application's
// stays.
func TestFreshURI(t *testing.T) {
	u, err := parseClientURI("MONGODB_URI", "mongodb+srv://ada:x@cluster.example.net/shop?w=majority&authSource=admin&authMechanism=SCRAM-SHA-256&replicaSet=rs0&appName=tests")
	if err != nil {
		t.Fatal(err)
	}
	f := u.fresh()
	if got := f.through([]string{"127.0.0.1:5001"}, nil, true); got != "mongodb://127.0.0.1:5001/shop?w=majority&appName=tests&directConnection=true" {
		t.Error(got)
	}
}
