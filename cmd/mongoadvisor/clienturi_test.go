package main

import (
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
		if got := u.through(tt.listeners, tt.txt); got != tt.out {
			t.Errorf("%s: becomes %s, want %s", tt.in, got, tt.out)
		}
	}
	for _, in := range []string{"", "localhost:27017", "http://localhost", "mongodb://", "mongodb:///shop", "mongodb://ada:x@/shop"} {
		if u, err := parseClientURI("MONGODB_URI", in); err == nil {
			t.Errorf("%q was read as %+v", in, u)
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
