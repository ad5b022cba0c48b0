package main

import (
	"errors"
	"io/fs"
	"net"
	"syscall"

	"github.com/spf13/pflag"
)

// trouble words why a file cannot be used, without its name, which the message has.
func trouble(err error) string {
	switch {
	case errors.Is(err, syscall.EISDIR):
		return "it is a folder, and no file"
	case errors.Is(err, fs.ErrNotExist):
		return "no such file or folder"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied; who runs this has no right to it"
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// unopened adds the way out to the error of a listener, which names the address. flag
// is where that came from.
func unopened(flag string, err error) error {
	var address *net.AddrError
	hint := ""
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		hint = "; stop what listens there, or choose another address with --" + flag
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		hint = "; this machine has no such address: name one of its own with --" + flag
	case errors.Is(err, fs.ErrPermission):
		hint = "; ports below 1024 need the capability CAP_NET_BIND_SERVICE: choose another with --" + flag
	case errors.As(err, &address):
		hint = "; want host:port, as --" + flag + " 127.0.0.1:28217"
	}
	return usage("%w%s", err, hint)
}

// flagError words what is wrong with a flag's value.
func flagError(err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return usage("--%s %q: want %s", bad.GetFlag().Name, bad.GetValue(), wanted(bad.GetFlag()))
	}
	return err
}

// wanted words the values that a flag takes.
func wanted(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "true or false"
	case "int":
		return "a whole number"
	case "uintSlice":
		return "whole numbers of 0 or more, with commas between them"
	case "duration":
		return "a duration such as 90s or 1h"
	case "size":
		return "a size such as 64MiB or 256KiB"
	default:
		return "text; in a list, quotes come in pairs"
	}
}

// inWords is an error in the words of trouble, and still that error.
type inWords struct{ error }

func (e inWords) Error() string { return trouble(e.error) }
func (e inWords) Unwrap() error { return e.error }
