package main

import "testing"

func TestNthAddress(t *testing.T) {
	for _, tt := range []struct {
		address string
		n       int
		want    string
	}{
		{"127.0.0.1:27217", 0, "127.0.0.1:27217"},
		{"127.0.0.1:27217", 2, "127.0.0.1:27219"},
		{"[::1]:1", 1, "[::1]:2"},
		{":27217", 1, ":27218"},
		{"127.0.0.1:0", 5, "127.0.0.1:0"},
		{"127.0.0.1:65535", 1, ""},
		{"nowhere", 1, ""},
	} {
		if got, err := nthAddress(tt.address, tt.n); got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%d from %s: %q, %v", tt.n, tt.address, got, err)
		}
	}
}

// What clients are told: the place counts from 0, whether the members were given
// or found.
func TestAdvertised(t *testing.T) {
	for template, want := range map[string]string{
		"": "127.0.0.1:27218", "proxy.example": "proxy.example:27218", "m{n}.example:{port}": "m3.example:27218", "{member}.example:27017": "db1.example:27017",
	} {
		m := &members{p: &pipeline{service: &service{advisor: &advisor{config: &config{TopologyAdvertise: template}}}}}
		if got := m.advertised("127.0.0.1:27218", "db1:27017", 3); got != want {
			t.Errorf("%q gives %s, want %s", template, got, want)
		}
	}
}
