//go:build !unix

package source

import "io"

func pollable(r io.Reader) io.Reader { return r }
