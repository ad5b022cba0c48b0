package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"syscall"
)

// portTries bounds the search for a port that is free on both loopbacks.
const portTries = 20

// binder opens the listeners of one address.
type binder struct {
	config  net.ListenConfig
	skipped func(error) // told of each address of localhost that this machine does not have
}

// bind listens on address; on each loopback address, with one port, if the host
// is a name for loopback: which one a client tries first differs by language.
func (b *binder) bind(ctx context.Context, address string) ([]net.Listener, error) {
	if network, path := splitNetwork(address); network == "unix" {
		return b.bindUnix(ctx, path)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w (want host:port or unix:/path)", address, err)
	}
	hosts := loopbacks(ctx, host)
	if len(hosts) == 0 {
		hosts = []string{host}
	}
	for try := 1; ; try++ {
		ls, err := b.bindAll(ctx, hosts, port)
		if port == "0" && len(hosts) > 1 && try < portTries && errors.Is(err, syscall.EADDRINUSE) {
			continue // the port that was free on one is taken on the other
		}
		return ls, err
	}
}

// bindAll listens on all hosts or on none.
func (b *binder) bindAll(ctx context.Context, hosts []string, port string) (ls []net.Listener, err error) {
	defer func() {
		if err != nil {
			closeAll(ls)
			ls = nil
		}
	}()
	var missing error
	for _, host := range hosts {
		l, err := b.bindOne(ctx, net.JoinHostPort(host, port))
		switch {
		case err == nil:
			ls = append(ls, l)
			port = strconv.Itoa(l.Addr().(*net.TCPAddr).Port) // fixes port 0 for those to come
		case len(hosts) > 1 && noSuchAddress(err):
			missing = err
			b.skipped(err)
		default:
			return ls, err
		}
	}
	if len(ls) == 0 {
		return nil, missing
	}
	return ls, nil
}

func (b *binder) bindOne(ctx context.Context, address string) (net.Listener, error) {
	l, err := b.config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, cannotListen(address, err)
	}
	return l, nil
}

func cannotListen(address string, err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err // what it adds is the address, which is named here
	}
	return fmt.Errorf("cannot listen on %s: %w", address, err)
}

// loopbacks returns the addresses of a host name if all of them are loopback
// ones. localhost is both of them, whatever this process's resolver says: other
// resolvers on the same machine may know more than its hosts file.
func loopbacks(ctx context.Context, host string) []string {
	if host == "localhost" {
		return []string{"127.0.0.1", "::1"}
	}
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		return nil
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil // listening on it will say why
	}
	var hosts []string
	for _, a := range addrs {
		a = a.Unmap()
		if !a.IsLoopback() {
			return nil
		}
		if !slices.Contains(hosts, a.String()) {
			hosts = append(hosts, a.String())
		}
	}
	return hosts
}

// noSuchAddress is true on machines without IPv6 (or without IPv4).
func noSuchAddress(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT)
}

func closeAll(ls []net.Listener) {
	for _, l := range ls {
		_ = l.Close()
	}
}
