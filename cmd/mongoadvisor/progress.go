package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressPause is between two looks at how far the reading is.
const progressPause = 200 * time.Millisecond

// watchProgress shows on a terminal how much of the inputs was read, until the
// function it returns is called. Elsewhere it shows nothing.
func watchProgress(w io.Writer, inputs []*input) (stop func()) {
	if !isTerminal(w) {
		return func() {}
	}
	total := int64(0)
	for _, in := range inputs {
		if in.size == 0 {
			total = -1 // unknown: the bar becomes a spinner
			break
		}
		total += in.size
	}
	bar := progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("reading"), progressbar.OptionShowBytes(true),
		progressbar.OptionSetWidth(24), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(0), progressbar.OptionUseIECUnits(true),
	)
	show := func() {
		n := int64(0)
		for _, in := range inputs {
			n += in.position()
		}
		_ = bar.Set64(n)
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(progressPause)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				show()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
		_ = bar.Clear()
	}
}
