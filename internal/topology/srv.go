package topology

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// SRVOptions of ResolveSRV. The zero value is what most URIs mean.
type SRVOptions struct {
	Service  string // srvServiceName; "": mongodb
	MaxHosts int    // srvMaxHosts; 0: all
}

// SRV is what DNS says of a mongodb+srv:// name.
type SRV struct {
	Hosts   []string // host:port, sorted
	Options []Option // of the TXT record, in its order
}

// Option is one of replicaSet, authSource and loadBalanced: a TXT record may
// set no other.
type Option struct{ Name, Value string }

// Get is the value of an option, or "".
func (s SRV) Get(name string) string {
	for _, o := range s.Options {
		if strings.EqualFold(o.Name, name) {
			return o.Value
		}
	}
	return ""
}

// ResolveSRV looks up what mongodb+srv://host stands for, by the rules that
// drivers follow: the hosts must be in the domain that host is in, so that a
// forged answer cannot send clients elsewhere. With MaxHosts the first in their
// order are taken rather than a random choice: the same ones in every run.
//
// https://github.com/mongodb/specifications/blob/master/source/initial-dns-seedlist-discovery/initial-dns-seedlist-discovery.md
func ResolveSRV(ctx context.Context, r *net.Resolver, host string, opts SRVOptions) (SRV, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" || strings.ContainsAny(host, ":/@,") || net.ParseIP(host) != nil {
		return SRV{}, errors.New("mongodb+srv:// takes one host name, without port")
	}
	if opts.Service == "" {
		opts.Service = "mongodb"
	}
	// rooted, so that search domains of this machine are not tried
	_, records, err := r.LookupSRV(ctx, opts.Service, "tcp", host+".")
	if err != nil {
		return SRV{}, fmt.Errorf("SRV records of %s: %w", host, err)
	}
	var s SRV
	for _, record := range records {
		target := strings.ToLower(strings.TrimSuffix(record.Target, "."))
		if !sameDomain(host, target) {
			return SRV{}, fmt.Errorf("SRV record of %s names %s, which is not in its domain", host, target)
		}
		s.Hosts = append(s.Hosts, net.JoinHostPort(target, strconv.Itoa(int(record.Port))))
	}
	if len(s.Hosts) == 0 {
		return SRV{}, fmt.Errorf("%s has no SRV records", host)
	}
	slices.Sort(s.Hosts)
	s.Hosts = slices.Compact(s.Hosts)
	if s.Options, err = txtOptions(ctx, r, host); err != nil {
		return SRV{}, err
	}
	if opts.MaxHosts > 0 {
		if s.Get("replicaSet") != "" {
			return SRV{}, errors.New("srvMaxHosts cannot be used with a replica set: its other members would be found anyway")
		}
		s.Hosts = s.Hosts[:min(len(s.Hosts), opts.MaxHosts)]
	}
	return s, nil
}

// sameDomain tells whether a target shares the domain of host: all but its first
// label, or all of it when it has fewer than three; then the target must be
// below it.
func sameDomain(host, target string) bool {
	domain := host
	if strings.Count(host, ".") >= 2 {
		_, domain, _ = strings.Cut(host, ".")
	}
	return strings.HasSuffix(target, "."+domain)
}

// txtOptions reads the one TXT record there may be. A name without any is usual.
func txtOptions(ctx context.Context, r *net.Resolver, host string) ([]Option, error) {
	records, err := r.LookupTXT(ctx, host+".")
	var none *net.DNSError
	switch {
	case errors.As(err, &none) && none.IsNotFound:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("TXT record of %s: %w", host, err)
	case len(records) > 1:
		return nil, fmt.Errorf("%s has %d TXT records: one is allowed", host, len(records))
	case len(records) == 0:
		return nil, nil
	}
	var options []Option
	for _, pair := range strings.Split(records[0], "&") {
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.QueryUnescape(value)
		if !ok || err != nil || value == "" {
			return nil, fmt.Errorf("TXT record of %s: want options as name=value&name=value", host)
		}
		allowed := slices.ContainsFunc([]string{"replicaSet", "authSource", "loadBalanced"}, func(a string) bool { return strings.EqualFold(a, name) })
		if !allowed {
			return nil, fmt.Errorf("TXT record of %s: only replicaSet, authSource and loadBalanced are allowed", host)
		}
		options = append(options, Option{name, value})
	}
	return options, nil
}
