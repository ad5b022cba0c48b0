package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// suite is a suite.json.
type suite struct {
	Name     string   // of its folder; not in the file
	Driver   string   // as people call it: "Go driver"
	Package  string   // what its versions are versions of: "go.mongodb.org/mongo-driver/v2"
	About    string   // one sentence: what its tests are
	Versions []string // the first is the one that -short takes

	// Which cells it takes, the values of type cell. Each version is run plain on each
	// topology; the first version also with each TLS, compressor and login by itself,
	// on the first and the last topology. All of the product would take days. TLS that
	// passes through is not for sets: what is encrypted cannot be rewritten, so drivers
	// would go round the proxy.
	Topologies  []string
	TLS         []string
	Compressors []string
	Logins      []string

	Limit string // how long one run may take: "10m"; beyond, it hangs
	// Odd says that it sends what no driver sends, so that not everything can be decoded.
	Odd bool
	// Foreign says that its tests are the driver's own: some ask for newer servers or for
	// other services and fail both ways. Of ours none may.
	Foreign bool
}

// loadSuites reads the suites below the folder, sorted by name.
func loadSuites(dir string) ([]suite, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "suite.json"))
	if err != nil {
		return nil, err
	}
	var all []suite
	for _, file := range files {
		s, err := loadSuite(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func loadSuite(file string) (suite, error) {
	s := suite{Name: filepath.Base(filepath.Dir(file))}
	b, err := os.ReadFile(file)
	if err != nil {
		return s, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, err
	}
	if s.Driver == "" || s.About == "" || len(s.Versions) == 0 || len(s.Topologies) == 0 {
		return s, fmt.Errorf("want driver, about, versions and topologies")
	}
	if _, err := s.limit(); err != nil {
		return s, err
	}
	for _, c := range s.cells() {
		if err := c.check(); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s suite) limit() (time.Duration, error) { return time.ParseDuration(s.Limit) }

// cells are what the suite takes, in the order of the file.
func (s suite) cells() []cell {
	var all []cell
	for v, version := range s.Versions {
		for t, topology := range s.Topologies {
			plain := cell{Suite: s.Name, Version: version, Topology: topology, TLS: off, Compressor: off, Login: off}
			all = append(all, plain)
			if v == 0 && (t == 0 || t == len(s.Topologies)-1) {
				all = append(all, s.variations(plain)...)
			}
		}
	}
	return all
}

// variations are the cell with one thing changed.
func (s suite) variations(c cell) []cell {
	var all []cell
	for _, v := range s.TLS {
		if v == tlsPassed && c.Topology == replicaSet {
			continue
		}
		x := c
		x.TLS = v
		all = append(all, x)
	}
	for _, v := range s.Compressors {
		x := c
		x.Compressor = v
		all = append(all, x)
	}
	for _, v := range s.Logins {
		x := c
		x.Login = v
		all = append(all, x)
	}
	return all
}

// pick returns the suites that the arguments name, each with the versions asked
// for; without arguments all.
func pick(all []suite, args []string) ([]suite, error) {
	if len(args) == 0 {
		return all, nil
	}
	var out []suite
	for _, arg := range args {
		name, version, one := strings.Cut(arg, "@")
		i := slices.IndexFunc(all, func(s suite) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no suite %q", name)
		}
		s := all[i]
		if one {
			if !slices.Contains(s.Versions, version) {
				return nil, fmt.Errorf("suite %s has versions %s, not %s", name, strings.Join(s.Versions, ", "), version)
			}
			s.Versions = []string{version}
		}
		out = append(out, s)
	}
	return out, nil
}
