package sink

import (
	"context"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// Log writes each finding as one record of a zap logger.
type Log struct {
	logger *zap.Logger
}

// NewLog logs under the name "finding".
func NewLog(logger *zap.Logger) *Log { return &Log{logger: logger.Named("finding")} }

// Name of the sink in metrics.
func (l *Log) Name() string { return "log" }

// Emit writes the records. A finding of severity info or low, and one that is fixed,
// is logged as info, anything above as a warning.
func (l *Log) Emit(_ context.Context, entries []store.Entry) error {
	for _, e := range entries {
		level := zapcore.WarnLevel
		if e.Severity <= analysis.Low || !open(e) {
			level = zapcore.InfoLevel
		}
		database, collection, _ := strings.Cut(e.Namespace, ".")
		l.logger.Log(level, said(e),
			zap.String("db.system.name", "mongodb"), zap.String("db.namespace", database),
			zap.String("db.collection.name", collection), zap.String("db.operation.name", e.Command),
			zap.String("db.query.summary", strings.TrimSpace(e.Command+" "+collection)),
			zap.Any("finding", e))
	}
	return nil
}

// Close flushes the logger.
func (l *Log) Close() error {
	_ = l.logger.Sync() // standard output cannot be synced on every system
	return nil
}
