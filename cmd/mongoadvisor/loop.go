package main

import (
	"net"
	"slices"
)

// loops reports whether the upstream of a pair is one of the listeners.
func loops(x pair, pairs []pair) bool {
	if slices.ContainsFunc(pairs, func(other pair) bool { return other.listen == x.upstream.address }) {
		return true // also a Unix socket
	}
	host, port, err := net.SplitHostPort(x.upstream.address)
	if err != nil {
		return false
	}
	targets := resolve(host)
	for _, other := range pairs {
		listenHost, listenPort, err := net.SplitHostPort(other.listen)
		if err != nil || listenPort != port {
			continue
		}
		for _, t := range targets {
			if listenHost == "" && local(t) {
				return true
			}
			for _, l := range resolve(listenHost) {
				if l.Equal(t) || l.IsUnspecified() && local(t) {
					return true
				}
			}
		}
	}
	return false
}

func resolve(host string) []net.IP {
	if ip := net.ParseIP(host); ip != nil {
		return []net.IP{ip}
	}
	ips, err := net.LookupIP(host)
	if err != nil {
		return nil
	}
	return ips
}

// local reports whether an address is one of this machine.
func local(ip net.IP) bool {
	if ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.Equal(ip) {
			return true
		}
	}
	return false
}
