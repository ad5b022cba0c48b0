package topology

import (
	"net"
	"strings"
)

const defaultPort = "27017"

// canonical is how an address is compared: lower case, with a port. Names have
// no case, and a server may leave the default port out.
func canonical(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	if host, port, err := net.SplitHostPort(address); err == nil {
		if port == "" {
			port = defaultPort
		}
		return net.JoinHostPort(strings.TrimSuffix(host, "."), port)
	}
	return net.JoinHostPort(strings.TrimSuffix(strings.Trim(address, "[]"), "."), defaultPort)
}

// plausible tells whether an address is one that a server can advertise. It is
// looked at before a listener is made for it.
func plausible(address string) bool {
	if len(address) == 0 || len(address) > 300 || strings.ContainsAny(address, " \t\r\n,/@?\x00") {
		return false
	}
	host, port, err := net.SplitHostPort(canonical(address))
	if err != nil || host == "" || port == "0" {
		return false
	}
	n, err := net.LookupPort("tcp", port)
	return err == nil && n > 0
}

// outward is what a client is told: addr, in which an absent or unspecified
// host (":27217", "0.0.0.0:27217") is replaced by the one the client reached us
// under.
func outward(addr string, local net.Addr) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		return addr
	}
	if tcp, ok := local.(*net.TCPAddr); ok && tcp != nil && !tcp.IP.IsUnspecified() {
		return net.JoinHostPort(tcp.IP.String(), port)
	}
	return net.JoinHostPort("127.0.0.1", port)
}
