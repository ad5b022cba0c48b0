package main

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"mongoadvisor/internal/demo/mongod"
)

// What the suites log in as. Nothing of it is a secret: the server is on loopback,
// and ends with the run.
const (
	user     = "suite"
	password = "correct horse"
	setName  = "rs0"
)

// deployment is what a cell asks for, with empty data.
type deployment struct {
	cell    cell
	certs   certificates
	servers []*mongod.Process
	stop    func() error
}

// deploy starts the servers of a cell.
func (r *runner) deploy(ctx context.Context, c cell) (*deployment, error) {
	d := &deployment{cell: c, certs: r.certs}
	args := []string{"--setParameter", "enableTestCommands=1"} // failCommand
	if c.TLS != off {
		// plain connections stay possible: the server is looked at before a suite is
		args = append(args, "--tlsMode", "preferTLS", "--tlsCertificateKeyFile", r.certs.both, "--tlsCAFile", r.certs.ca,
			"--tlsAllowConnectionsWithoutCertificates")
	}
	switch {
	case c.Login == off:
	case c.Topology == standalone:
		args = append(args, "--auth", "--setParameter", "authenticationMechanisms="+c.Login)
	default: // members log in to each other by the file, with SCRAM-SHA-256
		args = append(args, "--auth", "--keyFile", r.keyFile)
	}
	if err := d.start(ctx, r.mongod, args); err != nil {
		return nil, err
	}
	if err := d.prepare(ctx); err != nil {
		return nil, errors.Join(err, d.stop())
	}
	return d, nil
}

func (d *deployment) prepare(ctx context.Context) error {
	if d.cell.Login != off {
		if err := d.createUser(ctx); err != nil {
			return err
		}
	}
	if d.cell.Topology == replicaSet {
		return d.patient(ctx)
	}
	return nil
}

func (d *deployment) start(ctx context.Context, path string, args []string) error {
	if d.cell.Topology == replicaSet {
		set, err := mongod.StartSet(ctx, path, mongod.SetOptions{Name: setName, Args: args})
		if err != nil {
			return err
		}
		d.servers, d.stop = set.Members, set.Stop
		return nil
	}
	opts := mongod.StartOptions{Args: args}
	if d.cell.Topology == member {
		opts.ReplSet = setName
	}
	p, err := mongod.Start(ctx, path, opts)
	if err != nil {
		return err
	}
	d.servers, d.stop = []*mongod.Process{p}, p.Stop
	return nil
}

func (d *deployment) addrs() []string {
	var addrs []string
	for _, s := range d.servers {
		addrs = append(addrs, s.Addr())
	}
	return addrs
}

func (d *deployment) plainURI() string {
	o := "directConnection=true"
	if d.cell.Topology == replicaSet {
		o = "replicaSet=" + setName
	}
	return "mongodb://" + strings.Join(d.addrs(), ",") + "/?" + o
}

// uri is what a suite gets, for the servers themselves or for listeners in front
// of them.
func (d *deployment) uri(addrs []string) string {
	var login string
	o := url.Values{}
	switch d.cell.Topology {
	case member:
		o.Set("directConnection", "true")
	case replicaSet:
		o.Set("replicaSet", setName)
	}
	if d.cell.TLS != off {
		o.Set("tls", "true")
		o.Set("tlsCAFile", d.certs.ca)
	}
	if d.cell.Compressor != off {
		o.Set("compressors", d.cell.Compressor)
	}
	if d.cell.Login != off {
		login = url.UserPassword(user, password).String() + "@"
		o.Set("authSource", "admin")
		o.Set("authMechanism", d.cell.Login)
	}
	return "mongodb://" + login + strings.Join(addrs, ",") + "/?" + o.Encode()
}
