package main

import (
	"net"
	"slices"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// inherit takes the listening sockets that a service manager opened for us, so
// that a restart turns no client away, and gives each pair its own. One pair
// gets them all; several are told apart by address.
func inherit(pairs []pair) error {
	sockets, err := activation.Listeners()
	if err != nil {
		return usage("sockets of the service manager: %w", err)
	}
	sockets = slices.DeleteFunc(sockets, func(l net.Listener) bool { return l == nil }) // passed, and no listening socket
	if len(pairs) == 1 {
		pairs[0].sockets = sockets
		return nil
	}
	for _, l := range sockets {
		if !give(pairs, l) {
			return usage("the service manager passed a socket on %s, and no listener has that address", l.Addr())
		}
	}
	return nil
}

func give(pairs []pair, l net.Listener) bool {
	for i := range pairs {
		if name := l.Addr().String(); pairs[i].listen == name || pairs[i].listen == "unix:"+name {
			pairs[i].sockets = append(pairs[i].sockets, l)
			return true
		}
	}
	return false
}

// tellManager tells systemd, if it started us and wants to know.
func tellManager(state string) { _, _ = daemon.SdNotify(false, state) }

// States for tellManager.
const (
	serving  = daemon.SdNotifyReady
	stopping = daemon.SdNotifyStopping
)

// reloading is the state before a reload, which ends with serving, as units of type
// notify-reload want it: with the time of the clock that only goes forward.
func reloading() string { return daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec() }
