package main

import (
	"io"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"mongoadvisor/internal/sink"
)

// newLogger writes to w. Findings go to standard output, what the program says
// of itself to standard error, so that the one can be piped without the other.
func newLogger(c *config, w io.Writer) *zap.Logger {
	return newLoggerAt(logLevel(c), c, w)
}

// logLevel is the least level that is logged.
func logLevel(c *config) zapcore.Level {
	level, err := zapcore.ParseLevel(c.Log.Level)
	if err != nil {
		return zapcore.InfoLevel // check refused anything else
	}
	return level
}

// newLoggerAt is newLogger with a level that may change.
func newLoggerAt(level zapcore.LevelEnabler, c *config, w io.Writer) *zap.Logger {
	ec := zap.NewProductionEncoderConfig()
	ec.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	enc := zapcore.NewJSONEncoder(ec)
	if c.Log.Format == "console" {
		ec.EncodeLevel = zapcore.CapitalLevelEncoder
		enc = zapcore.NewConsoleEncoder(ec)
	}
	return zap.New(zapcore.NewCore(enc, zapcore.Lock(zapcore.AddSync(w)), level))
}

// outputs are the two streams of a service: findings go to standard output, what the
// program says of itself to standard error. Neither stops it when nobody reads them.
type outputs struct {
	logger   *zap.Logger
	level    zap.AtomicLevel // of logger
	findings sink.Sink

	log *asyncWriter
	out *countingWriter
}

func openOutputs(c *config, stdout, stderr io.Writer) *outputs {
	// a reader of our output that goes away must not end the process
	signal.Ignore(syscall.SIGPIPE)
	o := &outputs{log: newAsyncWriter(&lineWriter{w: stderr}), out: &countingWriter{w: &lineWriter{w: stdout}}}
	o.level = zap.NewAtomicLevelAt(logLevel(c))
	o.logger = newLoggerAt(o.level, c, o.log)
	// log.level is for what the program says of itself
	o.findings = sink.NewLog(newLoggerAt(zapcore.InfoLevel, c, o.out))
	return o
}

// dropped counts lines that could not be written.
func (o *outputs) dropped() int64 { return o.log.dropped.Load() + o.out.failed.Load() }

func (o *outputs) close() { o.log.Close(time.Second) }
