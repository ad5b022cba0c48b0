package main

import (
	"net/url"
	"strings"

	"mongoadvisor/internal/topology"
)

// clientURI is the connection string of a client, in its parts as they were written.
// It may hold a password, and is never printed.
type clientURI struct {
	srv     bool
	user    string // "user:password@", or empty
	hosts   string
	path    string // "/shop", "/" or empty
	options []clientOption
}

// clientOption is one option, as written.
type clientOption struct{ name, value string }

// parseClientURI takes a connection string apart. name says in errors where it was
// found.
func parseClientURI(name, text string) (clientURI, error) {
	rest, srv := strings.CutPrefix(text, srvScheme)
	if !srv {
		var ok bool
		if rest, ok = strings.CutPrefix(text, "mongodb://"); !ok {
			return clientURI{}, usage("%s: want a connection string, mongodb:// or mongodb+srv://", name)
		}
	}
	u := clientURI{srv: srv}
	rest, query, _ := strings.Cut(rest, "?")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		u.user, rest = rest[:i+1], rest[i+1:]
	}
	u.hosts = rest
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		u.hosts, u.path = rest[:i], rest[i:]
	}
	if u.hosts == "" {
		return clientURI{}, usage("%s: the connection string names no host", name)
	}
	if !u.reads() { // not quoted: it may be a part of the password
		return clientURI{}, usage("%s: want host:port behind user and password, in which @ : / ? # and %% are written as %%40 and so on", name)
	}
	for _, part := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' }) {
		key, value, _ := strings.Cut(part, "=")
		u.options = append(u.options, clientOption{key, value})
	}
	return u, nil
}

// reads reports whether the hosts are such. Those of mongodb+srv:// are looked at when
// they are looked up.
func (u *clientURI) reads() bool {
	if path, err := url.PathUnescape(u.hosts); u.srv || err == nil && strings.HasPrefix(path, "/") {
		return true
	}
	for h := range strings.SplitSeq(u.hosts, ",") {
		if _, err := withPort(h); err != nil {
			return false
		}
	}
	return true
}

// same reports whether two lead to the same server.
func (u *clientURI) same(v clientURI) bool {
	return u.srv == v.srv && strings.EqualFold(u.hosts, v.hosts)
}

// fresh is the connection string for an empty server, which knows neither the users
// nor the set that the old one has.
func (u *clientURI) fresh() clientURI {
	out := clientURI{hosts: u.hosts, path: u.path}
	for _, o := range u.options {
		if lower := strings.ToLower(o.name); !strings.HasPrefix(lower, "auth") && lower != "replicaset" && lower != "loadbalanced" {
			out.options = append(out.options, o)
		}
	}
	return out
}

// option is the value of an option, without its escapes. Names are not case-sensitive.
func (u *clientURI) option(name string) string {
	for _, o := range u.options {
		if strings.EqualFold(o.name, name) {
			if v, err := url.QueryUnescape(o.value); err == nil {
				return v
			}
			return o.value
		}
	}
	return ""
}

// several reports whether clients look for members behind the named hosts.
func (u *clientURI) several() bool {
	if u.option("directConnection") == "true" {
		return false
	}
	return u.srv || strings.Contains(u.hosts, ",") || u.option("replicaSet") != ""
}

// upstream is the same for the proxy: hosts, and what concerns the way to them.
func (u *clientURI) upstream() string {
	scheme, keep := "mongodb://", []string{"tls", "ssl"}
	if u.srv {
		scheme, keep = srvScheme, append(keep, "srvServiceName", "srvMaxHosts")
	}
	var options []string
	for _, name := range keep {
		if v := u.option(name); v != "" {
			options = append(options, name+"="+url.QueryEscape(v))
		}
	}
	return scheme + u.hosts + "/?" + strings.Join(options, "&")
}

// secure takes over how a client speaks TLS to the server: the proxy does it now.
func (u *clientURI) secure(e *Edges) {
	set := func(to *string, name string) {
		if v := u.option(name); v != "" && *to == "" {
			*to = v
		}
	}
	set(&e.UpstreamTLSCA, "tlsCAFile")
	set(&e.UpstreamTLSCert, "tlsCertificateKeyFile")
	set(&e.UpstreamTLSKey, "tlsCertificateKeyFile")
	for _, name := range []string{"tlsInsecure", "tlsAllowInvalidCertificates", "tlsAllowInvalidHostnames", "sslInsecure"} {
		if u.option(name) == "true" {
			e.UpstreamTLSInsecure = true
		}
	}
}

// through is the connection string that leads through listeners: user, database and
// options stay, but for those of the way to the server. txt are options that a DNS
// record has for a mongodb+srv:// name. direct keeps clients from looking for members
// behind the listener, which have none.
func (u *clientURI) through(listeners []string, txt []topology.Option, direct bool) string {
	var options []string
	for _, o := range u.options {
		lower := strings.ToLower(o.name)
		if strings.HasPrefix(lower, "tls") || strings.HasPrefix(lower, "ssl") || strings.HasPrefix(lower, "srv") || lower == "directconnection" {
			continue
		}
		options = append(options, o.name+"="+o.value)
	}
	for _, o := range txt {
		if u.option(o.Name) == "" {
			options = append(options, o.Name+"="+url.QueryEscape(o.Value))
		}
	}
	if direct && u.option("loadBalanced") != "true" {
		options = append(options, "directConnection=true")
	}
	path := u.path
	if path == "" {
		path = "/"
	}
	out := "mongodb://" + u.user + strings.Join(listeners, ",") + path
	if len(options) > 0 {
		out += "?" + strings.Join(options, "&")
	}
	return out
}
