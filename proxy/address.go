package proxy

import (
	"errors"
	"fmt"
	"net"
	"strings"
)

// unixPrefix marks the path of a Unix socket: "unix:/run/mongodb.sock".
const unixPrefix = "unix:"

// splitNetwork gives network and address as package net wants them.
func splitNetwork(address string) (network, rest string) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		return "unix", path
	}
	return "tcp", address
}

var errNoPath = errors.New("want unix: and a path")

// upstreamName checks an upstream's address and returns the host that TLS
// verifies: none for a Unix socket.
func upstreamName(address string) (string, error) {
	network, rest := splitNetwork(address)
	if network == "unix" {
		if rest == "" {
			return "", fmt.Errorf("upstream %q: %w", address, errNoPath)
		}
		return "", nil
	}
	host, _, err := net.SplitHostPort(rest)
	if err != nil {
		return "", fmt.Errorf("upstream %q: %w (want host:port or unix:/path)", address, err)
	}
	return host, nil
}
