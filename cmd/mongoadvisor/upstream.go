package main

import (
	"crypto/tls"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// upstream is where a listener forwards to.
type upstream struct {
	address string // "db1:27017"
	tls     *tls.Config
}

const mongoPort = "27017"

// parseUpstream reads "host:port", "host" or a mongodb:// URI. Credentials are
// refused: clients authenticate to the server through the proxy, which never
// holds any.
func parseUpstream(s string) (upstream, error) {
	switch {
	case s == "":
		return upstream{}, usage("upstream: want the server to forward to, as --upstream 127.0.0.1:27017")
	case strings.HasPrefix(s, "mongodb+srv://"):
		return upstream{}, usage("upstream: mongodb+srv:// names a whole cluster, and one listener forwards to one member: give a member as host:port, or mongodb://host:port/?tls=true")
	case strings.HasPrefix(s, "mongodb://"):
		return parseURI(s)
	case strings.Contains(s, "://") || strings.Contains(s, "@") || strings.Contains(s, "/"):
		return upstream{}, usage("upstream: want host:port or mongodb://host:port, without user, password and path")
	}
	address, err := withPort(s)
	return upstream{address: address}, err
}

func parseURI(s string) (upstream, error) {
	rest := strings.TrimPrefix(s, "mongodb://")
	if strings.Contains(strings.SplitN(rest, "?", 2)[0], "@") {
		return upstream{}, usage("upstream: leave user and password out of the URI: clients authenticate to the server themselves, through the proxy")
	}
	hosts, query, _ := strings.Cut(rest, "?")
	hosts, _, _ = strings.Cut(hosts, "/")
	if strings.Contains(hosts, ",") {
		return upstream{}, usage("upstream: one listener forwards to one member; give a pair for each, as `mongoadvisor proxy 27217=db1:27017 27218=db2:27017`")
	}
	options, err := url.ParseQuery(query)
	if err != nil {
		return upstream{}, usage("upstream: the URI's options cannot be read")
	}
	address, err := withPort(hosts)
	if err != nil {
		return upstream{}, err
	}
	for name := range options {
		if strings.HasPrefix(name, "tls") && name != "tls" {
			return upstream{}, usage("upstream: option %s is not supported; tls=true checks the server's certificate against the system's authorities (SSL_CERT_FILE names others)", name)
		}
	}
	u := upstream{address: address}
	for _, name := range []string{"tls", "ssl"} {
		switch options.Get(name) {
		case "", "false":
		case "true":
			host, _, _ := net.SplitHostPort(address)
			u.tls = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
		default:
			return upstream{}, usage("upstream: %s=%q: want true or false", name, options.Get(name))
		}
	}
	return u, nil
}

// withPort completes an address with MongoDB's port.
func withPort(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = strings.Trim(s, "[]"), mongoPort
	}
	if n, err := strconv.Atoi(port); host == "" || err != nil || n < 1 || n > 65535 || strings.ContainsAny(host, " []") {
		return "", usage("upstream %q: want host:port with a port from 1 to 65535; IPv6 in brackets, as [::1]:27017", s)
	}
	return net.JoinHostPort(host, port), nil
}

// listenAddress reads what stands before "=" in a pair: a port alone means
// loopback.
func listenAddress(s string) (string, error) {
	if n, err := strconv.Atoi(s); err == nil && n >= 0 && n <= 65535 {
		return net.JoinHostPort("127.0.0.1", s), nil
	}
	if _, port, err := net.SplitHostPort(s); err == nil {
		if n, err := strconv.Atoi(port); err == nil && n >= 0 && n <= 65535 {
			return s, nil
		}
	}
	return "", usage("listen %q: want a port, or host:port such as 127.0.0.1:27217 or [::1]:27217", s)
}
