// Package mongolog reads mongod's log: the JSON lines since 4.4 and the text lines
// of 3.0 to 4.2, also with what container engines and log shippers put around
// them. Each line about a slow query becomes an operation, so that the rules which
// judge traffic judge a log.
package mongolog
