package analyzers

import (
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func connectionChurn() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "O01", Name: "connection-churn", Since: "0.2.0", Severity: analysis.Medium, Needs: op.HasConn | op.HasEvery,
		Title:    "Connections that are opened for a few operations each",
		Commands: append([]string{"hello", "saslStart", "saslContinue", "authenticate", "insert", "getMore"}, filterCommands...), Run: runConnectionChurn,
		State: &analysis.StateSpec{Scope: analysis.ScopeApp, Max: 256, New: func() any { return newYoungConnections() }},
		Reasons: []analysis.Reason{
			{Name: "short-lived", Doc: "an application keeps opening connections that do a few operations and no more"},
		},
		Limits: []analysis.Limit{
			{Name: "operations", Default: 3, Unit: "operations", Doc: "operations up to which a connection did little; the median of those opened must be at most this"},
			{Name: "settle", Default: 10, Unit: "seconds", Doc: "time after its handshake at which a connection is judged"},
			{Name: "connections", Default: 60, Unit: "connections a minute", Doc: "such connections of one application from which they are too many, as medium"},
			{Name: "many-connections", Default: 600, Unit: "connections a minute", Doc: "such connections from which it is high"},
			{Name: "minutes", Default: 5, Unit: "minutes", Doc: "how long they must have been too many: a pool that grows and a burst of tests end before"},
			{Name: "hourly", Default: 100, Unit: "connections an hour", Doc: "such connections of the last hour from which it is info, in the second hour at the earliest"},
		},
		Doc: analysis.Doc{
			What: "Handshakes of one application, by its name, followed by few operations on the same connection, minute after minute. Each connection that is opened while it lasts counts.",
			Why: "A connection costs a TCP handshake, a hello, with a password two more round trips and a hash that is slow on purpose, and a thread on the server; the operation it was opened for is the smallest part. " +
				"Measured on MongoDB 6.0.5 without TLS and password: 100 finds by `_id` took 29 ms over one client, and 332 ms when each made a client of its own. Guidance from elsewhere takes 100 new connections an hour for suspicious in steady state.",
			Fix:    "One client for the whole process, made at its start and used by all: it holds a pool. In functions as a service, make it outside of the handler. Where a pool empties between bursts, raise `maxIdleTimeMS` and set `minPoolSize`.",
			Guards: "Connections without work do not count: drivers watch each server over two or three of them, pools are filled ahead, health checks ping. A pool that grows does not count either, nor a burst that is over within five minutes, nor connections that do more than a few operations, nor those beside which operations were left out under load. Info when they are few, and come for more than an hour. Wrong here for scripts that are started often on purpose.",
			Lesson: "The drivers' pages on connection pools.",
		},
	}
}

func runConnectionChurn(p *analysis.Pass) {
	if p.Op.Conn == nil {
		return
	}
	young := p.State().(*youngConnections)
	if young.stretch.broken(p) {
		young.interrupt()
	}
	switch p.Op.Command {
	case "hello":
		if p.Op.Introduces {
			few := p.Limit("operations")
			young.settle(p.Now.Add(-time.Duration(p.Limit("settle"))*time.Second), few)
			young.opened(p.Op, few)
			judgeChurn(p, young)
		}
	case "saslStart", "saslContinue", "authenticate":
		if c := young.get(p.Op); c != nil {
			c.proved = true
		}
	default:
		if c := young.get(p.Op); c != nil {
			c.operations++
		}
	}
}

func judgeChurn(p *analysis.Pass, y *youngConnections) {
	judged := p.Now.Add(-time.Duration(p.Limit("settle")) * time.Second)
	m := y.lately(judged)
	n, unit := m.short, "connections a minute"
	severity, limit, much := step(p, n, rung{"connections", analysis.Medium}, rung{"many-connections", analysis.High})
	if !much || n < m.long || !y.lasted(judged, p.Limit("minutes"), p.Limit("connections")) {
		n, limit, unit = y.hour.Count(p.Now), p.Limit("hourly"), "connections an hour"
		if n < limit || n < m.long || p.Now.Sub(y.first) < time.Hour {
			return
		}
		severity = analysis.Info
	}
	p.Report(analysis.Finding{
		Reason: "short-lived", Shape: op.TextShape("{client: short-lived connections}"), Fields: []string{},
		Severity: severity, Override: true, Confidence: analysis.Observed,
		Message: "connections are opened again and again for a few operations each",
		Advice:  "Handshake and authentication cost more than the operations that follow.",
		Caveat:  "scripts that are started often make a connection each",
		Fix: analysis.Fix{
			Text:    "Make one client when the process starts and use it everywhere; do not close it after a request. Let its pool keep connections between bursts.",
			Mongosh: "mongodb://<host>/?minPoolSize=<connections>&maxIdleTimeMS=<milliseconds>",
		},
		Evidence: []analysis.Evidence{
			{Name: "short_lived", Value: n, Limit: limit, Unit: unit},
			{Name: "with_more_operations", Value: m.long, Unit: "connections a minute"},
			{Name: "authenticated", Value: y.proved * 100 / max(y.total, 1), Unit: "%"},
		},
	})
}
