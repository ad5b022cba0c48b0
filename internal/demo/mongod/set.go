package mongod

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// SetOptions of a replica set. The zero value is three members called rs0.
type SetOptions struct {
	Name    string               // "": rs0
	Members int                  // 0: 3
	Args    []string             // further arguments of each mongod; with --keyFile all get the same file
	URIArgs string               // further options of connection strings, as "&tls=true&tlsCAFile=ca.pem"
	Member  func(i int) bson.D   // further fields of a member's configuration, as arbiterOnly or priority; nil: none
	Logf    func(string, ...any) // takes a line at each start and end; nil: silent
}

// Set is a replica set on loopback. Each member is a Process that can be
// killed and restarted by itself, on the same port and data.
type Set struct {
	Members []*Process
	path    string
	opts    SetOptions
}

// StartSet runs a replica set and waits until it has a primary and every other
// member follows it. It elects quickly: a primary that is gone is missed after
// a second.
func StartSet(ctx context.Context, path string, opts SetOptions) (*Set, error) {
	if opts.Name == "" {
		opts.Name = "rs0"
	}
	if opts.Members == 0 {
		opts.Members = 3
	}
	s := &Set{path: path, opts: opts}
	for range opts.Members {
		p, err := s.Spare(ctx)
		if err != nil {
			return nil, errors.Join(err, s.Stop())
		}
		s.Members = append(s.Members, p)
	}
	err := s.Members[0].admin(ctx, bson.D{{Key: "replSetInitiate", Value: s.config()}}, nil)
	if err == nil {
		err = s.Await(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// Spare starts one more server with the set's options that is not a member
// until a replSetReconfig makes it one. The caller stops it.
func (s *Set) Spare(ctx context.Context) (*Process, error) {
	return startMember(ctx, s.path, StartOptions{ReplSet: s.opts.Name, Args: s.opts.Args, URIArgs: s.opts.URIArgs, Logf: s.opts.Logf})
}

func (s *Set) config() bson.D {
	var members bson.A
	for i, p := range s.Members {
		m := bson.D{{Key: "_id", Value: i}, {Key: "host", Value: p.Addr()}}
		if s.opts.Member != nil {
			m = append(m, s.opts.Member(i)...)
		}
		members = append(members, m)
	}
	settings := bson.D{
		{Key: "electionTimeoutMillis", Value: 1500},
		{Key: "heartbeatIntervalMillis", Value: 200},
		{Key: "heartbeatTimeoutSecs", Value: 2},
		{Key: "catchUpTimeoutMillis", Value: 500},
	}
	return bson.D{{Key: "_id", Value: s.opts.Name}, {Key: "members", Value: members}, {Key: "settings", Value: settings}}
}

// URI is the connection string of the set: drivers find the primary themselves.
func (s *Set) URI() string {
	var hosts []string
	for _, p := range s.Members {
		hosts = append(hosts, p.Addr())
	}
	return "mongodb://" + strings.Join(hosts, ",") + "/?replicaSet=" + s.opts.Name + s.opts.URIArgs
}

// Primary waits for the member that takes writes.
func (s *Set) Primary(ctx context.Context) (*Process, error) {
	var primary *Process
	err := poll(ctx, "replica set "+s.opts.Name+" has no primary", func(ctx context.Context) bool {
		for _, p := range s.running() {
			if h, err := p.hello(ctx); err == nil && h.Primary {
				primary = p
				return true
			}
		}
		return false
	})
	return primary, err
}

// Await returns when there is a primary and every member that runs is primary,
// secondary or arbiter.
func (s *Set) Await(ctx context.Context) error {
	return poll(ctx, "members of replica set "+s.opts.Name+" are not ready", func(ctx context.Context) bool {
		primaries := 0
		for _, p := range s.running() {
			h, err := p.hello(ctx)
			if err != nil || !h.Primary && !h.Secondary && !h.Arbiter {
				return false
			}
			if h.Primary {
				primaries++
			}
		}
		return primaries == 1
	})
}

// StepDown has the primary give way, and waits for another. It cannot be used
// on a set that asks for a user.
func (s *Set) StepDown(ctx context.Context) error {
	was, err := s.Primary(ctx)
	if err != nil {
		return err
	}
	down := bson.D{{Key: "replSetStepDown", Value: 10}, {Key: "secondaryCatchUpPeriodSecs", Value: 5}}
	err = poll(ctx, fmt.Sprintf("%s does not step down", was.Addr()), func(ctx context.Context) bool {
		// refused while no secondary has caught up, or when it already gave way
		if was.admin(ctx, down, nil) == nil {
			return true
		}
		h, err := was.hello(ctx)
		return err == nil && !h.Primary
	})
	if err != nil {
		return err
	}
	return poll(ctx, "no other primary than "+was.Addr(), func(ctx context.Context) bool {
		now, err := s.Primary(ctx)
		return err == nil && now != was
	})
}

// Stop ends all members and removes their data.
func (s *Set) Stop() error {
	errs := make([]error, len(s.Members))
	var all sync.WaitGroup
	for i, p := range s.Members {
		all.Go(func() { errs[i] = p.Stop() })
	}
	all.Wait()
	return errors.Join(errs...)
}

// running are the members that have not been killed or stopped.
func (s *Set) running() (up []*Process) {
	for _, p := range s.Members {
		p.mu.Lock()
		if p.server != nil {
			up = append(up, p)
		}
		p.mu.Unlock()
	}
	return up
}
