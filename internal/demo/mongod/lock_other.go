//go:build !unix

package mongod

import "context"

// lock does nothing: there is no mongod to fetch for this system.
func lock(context.Context, string) (unlock func(), err error) { return func() {}, nil }
