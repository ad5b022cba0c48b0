package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
)

// Exit codes.
const (
	exitOK       = 0
	exitFindings = 1 // findings at or above --fail-on
	exitUsage    = 2 // wrong flags or configuration
	exitInput    = 3 // input unreadable, empty, or nothing in it that could be decoded
	exitUpstream = 4 // no server can be reached or started
)

// exitError carries an exit code with its message.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as the user's: exit code 2.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// exitCode is the code an error ends the process with.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	var e *exitError
	if errors.As(err, &e) {
		return e.code
	}
	return exitUsage
}

// userinfo is what stands before the host in an address, should somebody have
// given one with a password: in a URI all of the line before it, for a password may hold
// anything.
var userinfo = regexp.MustCompile(`\S+://.*@|\S+@`)

// complain prints an error, unless it has nothing more to say. Errors quote what
// was given, and lines of the configuration; passwords are taken out.
func complain(w io.Writer, err error) {
	if err != nil && err.Error() != "" {
		fmt.Fprintln(w, "mongoadvisor:", clean(err))
	}
}

// clean is an error's text without passwords in addresses.
func clean(err error) string { return userinfo.ReplaceAllString(err.Error(), "…@") }
