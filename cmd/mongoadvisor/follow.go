package main

import (
	"context"
	"errors"
	"io"
	"time"

	"go.uber.org/zap"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/mongolog"
)

// tail is a log that is read while the server writes it.
type tail struct {
	*service
	log *mongolog.Log
}

// runFollow judges a log as it grows, until ctx ends. Findings, metrics and API are
// those of the proxy.
func runFollow(ctx context.Context, c *config, path string, stdout, stderr io.Writer) error {
	if err := c.writable(); err != nil {
		return err
	}
	out := openOutputs(c, stdout, stderr)
	defer out.close()
	v, err := newService(c, out.logger, nil, out.findings)
	if err != nil {
		return err
	}
	v.logs(out)
	t := &tail{service: v, log: mongolog.New(mongolog.Config{Emit: v.judge})}
	t.expose(exposure{coverage: t.coverage, seen: func() (op.Source, op.Has) { return op.SourceLog, t.log.Has() }, status: func() map[string]any {
		return map[string]any{"log": path, "records": t.log.Coverage().Records}
	}, topology: (*members)(nil).topology()})
	defer t.finish()
	if err := t.run(); err != nil {
		return err
	}
	t.web.SetReady(true)
	t.logger.Info("following a log", zap.String("file", path))
	tellManager(serving)
	ctx, end := context.WithCancel(ctx)
	defer end()
	go t.watch(ctx)
	if err := mongolog.Follow(ctx, path, t.log); err != nil {
		return unreadable(err)
	}
	t.reloads.stop()
	tellManager(stopping)
	t.web.SetReady(false)
	return errors.Join(t.writeBaseline(), writeReport(c, t.report()))
}

// unreadEvery is after how long without a record that could be read it is said.
const unreadEvery = time.Minute

// watch says when what is written to the file is no log.
func (t *tail) watch(ctx context.Context) {
	tick := time.NewTicker(unreadEvery)
	defer tick.Stop()
	before := t.log.Coverage()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := t.log.Coverage()
		unread := now.Skipped[mongolog.SkipUnrecognised] - before.Skipped[mongolog.SkipUnrecognised]
		if n := now.Records - before.Records; n > 0 && unread == n {
			t.logger.Warn("no line of the last minute is one of mongod", zap.Int64("lines", n))
		}
		before = now
	}
}

func (t *tail) coverage() op.Coverage { return recordCoverage(t.log.Coverage(), t.tally.total()) }
