package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// duration is a time.Duration in files and flags: "25s".
type duration time.Duration

func (d *duration) String() string { return time.Duration(*d).String() }
func (d *duration) Type() string   { return "duration" }

// Set reads it; 0 and more.
func (d *duration) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return fmt.Errorf("%q: want a duration such as 90s or 1h", s)
	}
	*d = duration(v)
	return nil
}

// UnmarshalYAML reads the text form.
func (d *duration) UnmarshalYAML(n ast.Node) error { return at(n, d.Set(plain(n))) }

// size is a number of bytes: "64MiB", "256KiB", "1048576".
type size int64

var units = []struct {
	suffix string
	factor int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}

func (s *size) String() string {
	for _, u := range units {
		if int64(*s) >= u.factor && int64(*s)%u.factor == 0 {
			return strconv.FormatInt(int64(*s)/u.factor, 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}
func (s *size) Type() string { return "size" }

// Set reads it.
func (s *size) Set(text string) error {
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
		if err != nil || n < 0 {
			continue
		}
		*s = size(n * u.factor)
		return nil
	}
	return fmt.Errorf("%q: want a size such as 64MiB or 256KiB", text)
}

// UnmarshalYAML reads the text form or a number.
func (s *size) UnmarshalYAML(n ast.Node) error { return at(n, s.Set(plain(n))) }

// plain is the text of a scalar, without its quotes.
func plain(n ast.Node) string { return n.GetToken().Value }

// at gives an error the place in the file it is about.
func at(n ast.Node, err error) error {
	if err == nil {
		return nil
	}
	return &yaml.SyntaxError{Message: err.Error(), Token: n.GetToken()}
}
