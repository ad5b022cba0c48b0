package main

import (
	"fmt"
	"slices"
	"strings"
)

// cell is one way of running a suite. Values are words of closed sets.
type cell struct {
	Suite, Version string

	Topology   string
	TLS        string
	Compressor string
	Login      string
}

const off = "off"

// Topologies.
const (
	standalone = "standalone"
	member     = "member"      // a set of one, by directConnection=true
	replicaSet = "replica-set" // a set of three, the proxy with one listener for each
)

// What becomes of a client's TLS at the proxy.
const (
	tlsPassed = "passed" // through the proxy to the server: its content is not seen
	tlsEnded  = "ended"  // at the proxy, which has TLS of its own with the server
)

var values = map[string][]string{
	"topology":   {standalone, member, replicaSet},
	"tls":        {off, tlsPassed, tlsEnded},
	"compressor": {off, "snappy", "zlib", "zstd"},
	"login":      {off, "SCRAM-SHA-256", "SCRAM-SHA-1"},
}

func (c cell) fields() map[string]string {
	return map[string]string{"topology": c.Topology, "tls": c.TLS, "compressor": c.Compressor, "login": c.Login}
}

func (c cell) check() error {
	for name, v := range c.fields() {
		if !slices.Contains(values[name], v) {
			return fmt.Errorf("%s %q: want one of %s", name, v, strings.Join(values[name], ", "))
		}
	}
	return nil
}

// file is the name of its result.
func (c cell) file() string {
	parts := []string{c.Suite, c.Version, c.Topology}
	for _, v := range []string{c.TLS, c.Compressor, c.Login} {
		if v != off {
			parts = append(parts, strings.ToLower(v))
		}
	}
	return strings.Join(parts, "_") + ".json"
}

// command runs this cell and no other.
func (c cell) command(short bool) string {
	word := ""
	if short {
		word = "-short "
	}
	return fmt.Sprintf("go run ./e2e/suites %s-cell topology=%s,tls=%s,compressor=%s,login=%s %s@%s",
		word, c.Topology, c.TLS, c.Compressor, c.Login, c.Suite, c.Version)
}

func (c cell) String() string {
	return strings.TrimSuffix(strings.ReplaceAll(c.file(), "_", " "), ".json")
}

// filter is the value of -cell: what is named must be equal.
type filter map[string]string

func parseFilter(s string) (filter, error) {
	f := filter{}
	for pair := range strings.SplitSeq(s, ",") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		if !slices.Contains(values[name], value) {
			return nil, fmt.Errorf("-cell %q: want name=value with topology, tls, compressor or login", pair)
		}
		f[name] = value
	}
	return f, nil
}

// plainElse says whether what the filter does not name is off, topologies apart.
func (f filter) plainElse(c cell) bool {
	for name, v := range c.fields() {
		if _, named := f[name]; !named && v != off && name != "topology" {
			return false
		}
	}
	return true
}

func (f filter) takes(c cell) bool {
	of := c.fields()
	for name, v := range f {
		if of[name] != v {
			return false
		}
	}
	return true
}
