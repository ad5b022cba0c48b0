package main

import "github.com/spf13/pflag"

// kind is what the configuration of a command starts from, so that it can be made anew
// while the command runs.
type kind struct {
	defaults func() *config
	flags    func(*config, *pflag.FlagSet) // registers the keys the command takes
}

// configure gives a command its configuration: the defaults, with its flags on f.
func (k *kind) configure(f *pflag.FlagSet) *config {
	c := k.defaults()
	c.kind = k
	k.flags(c, f)
	return c
}

// again is the configuration as its sources are now: the same command line and
// environment, and files that may have changed.
func (c *config) again() (*config, error) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	next := c.kind.configure(f)
	next.given = c.given
	return next, next.complete(f)
}

// lifecycle registers what commands take that can be told to reload.
func (c *config) lifecycle(f *pflag.FlagSet) {
	f.BoolVar(&c.Web.EnableLifecycle, "web.enable-lifecycle", false, "POST /-/reload reloads the configuration, as SIGHUP does")
}
