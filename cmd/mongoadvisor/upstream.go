package main

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// upstream is where a listener forwards to.
type upstream struct {
	address string   // "db1:27017" or "unix:/path"; the first of hosts
	hosts   []string // more than one only with --topology
	tls     bool     // the URI asks for it
	srv     srv      // of mongodb+srv://, which has no hosts until it is looked up
}

const (
	mongoPort  = "27017"
	unixPrefix = "unix:"
)

// parseUpstream reads "host:port", "host", a path, or a mongodb:// URI.
// Credentials are refused: clients authenticate to the server through the proxy,
// which never holds any. many allows several hosts.
func parseUpstream(s string, many bool) (upstream, error) {
	switch {
	case s == "":
		return upstream{}, usage("upstream: want the server to forward to, as --upstream 127.0.0.1:27017")
	case strings.HasPrefix(s, srvScheme):
		return parseSRV(s, many)
	case strings.HasPrefix(s, "mongodb://"):
		return parseURI(s, many)
	case strings.HasPrefix(s, unixPrefix+"/") || strings.HasPrefix(s, "/"):
		address := unixPrefix + strings.TrimPrefix(s, unixPrefix)
		return upstream{address: address, hosts: []string{address}}, nil
	case strings.Contains(s, "://") || strings.Contains(s, "@") || strings.Contains(s, "/"):
		return upstream{}, usage("upstream: want host:port, unix:/path or mongodb://host:port, without user, password and database")
	}
	return parseHosts(s, many)
}

// parseHosts reads "db1,db2:27018".
func parseHosts(list string, many bool) (upstream, error) {
	var u upstream
	for _, h := range strings.Split(list, ",") {
		address, err := withPort(h)
		if err != nil {
			return upstream{}, err
		}
		u.hosts = append(u.hosts, address)
	}
	if len(u.hosts) > 1 && !many {
		return upstream{}, usage("upstream: one listener forwards to one member; add --topology, or give a pair for each, as `mongoadvisor proxy 27217=db1:27017 27218=db2:27017`")
	}
	u.address = u.hosts[0]
	return u, nil
}

func parseURI(s string, many bool) (upstream, error) {
	hosts, options, err := splitURI(strings.TrimPrefix(s, "mongodb://"))
	if err != nil {
		return upstream{}, err
	}
	if path, err := url.PathUnescape(hosts); err == nil && strings.HasPrefix(path, "/") {
		return upstream{address: unixPrefix + path, hosts: []string{unixPrefix + path}}, nil
	}
	u, err := parseHosts(hosts, many)
	if err != nil {
		return upstream{}, err
	}
	u.tls, err = wantsTLS(options, false)
	return u, err
}

// splitURI takes the hosts and the options out of what follows the scheme.
func splitURI(rest string) (hosts string, options url.Values, err error) {
	hosts, query, _ := strings.Cut(rest, "?")
	if strings.Contains(hosts, "@") {
		return "", nil, usage("upstream: leave user and password out of the URI: clients authenticate to the server themselves, through the proxy")
	}
	hosts, _, _ = strings.Cut(hosts, "/")
	if options, err = url.ParseQuery(query); err != nil {
		return "", nil, usage("upstream: the URI's options cannot be read")
	}
	return hosts, options, nil
}

// wantsTLS reads tls and its older name ssl, of which the first that is given
// counts.
func wantsTLS(options url.Values, unlessTold bool) (bool, error) {
	for name := range options {
		if strings.HasPrefix(name, "tls") && name != "tls" {
			return false, usage("upstream: option %s is not read from the URI; --upstream-tls-ca, -cert, -insecure and -server-name say how to speak TLS to the server", name)
		}
	}
	for _, name := range []string{"tls", "ssl"} {
		switch options.Get(name) {
		case "":
		case "false":
			return false, nil
		case "true":
			return true, nil
		default:
			return false, usage("upstream: %s=%q: want true or false", name, options.Get(name))
		}
	}
	return unlessTold, nil
}

// withPort completes an address with MongoDB's port.
func withPort(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = strings.Trim(s, "[]"), mongoPort
	}
	if n, err := strconv.Atoi(port); host == "" || err != nil || n < 1 || n > 65535 || strings.ContainsAny(host, " []") || !isHost(host) || strings.HasPrefix(s, "[") != strings.Contains(s, "]") {
		return "", usage("upstream %q: want host:port with a port from 1 to 65535; IPv6 in brackets, as [::1]:27017", s)
	}
	return net.JoinHostPort(host, port), nil
}

// isHost reports whether colons, if there are any, are those of an IPv6 address.
func isHost(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || !strings.Contains(host, ":")
}

// listenAddress reads what stands before "=" in a pair: a port alone means
// loopback, a path a Unix socket.
func listenAddress(s string) (string, error) {
	if n, err := strconv.Atoi(s); err == nil && n >= 0 && n <= 65535 {
		return net.JoinHostPort("127.0.0.1", s), nil
	}
	if path := strings.TrimPrefix(s, unixPrefix); strings.HasPrefix(path, "/") {
		return unixPrefix + path, nil
	}
	if _, port, err := net.SplitHostPort(s); err == nil {
		if n, err := strconv.Atoi(port); err == nil && n >= 0 && n <= 65535 {
			return s, nil
		}
	}
	return "", usage("listen %q: want a port, host:port such as 127.0.0.1:27217 or [::1]:27217, or unix:/path", s)
}
