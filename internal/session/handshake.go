package session

import (
	"strings"
	"unicode"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// maxClientName bounds names that a client chooses, in bytes. The server caps
// the application name at 128 itself.
const maxClientName = 128

// introduce returns the connection as the handshake describes it, or conn
// itself when the hello carries no client metadata (every later hello).
func introduce(conn *op.Conn, body bsoncore.Document) *op.Conn {
	client := op.Doc(op.Get(body, "client"))
	if client == nil {
		return conn
	}
	next := *conn
	next.Handshake = true
	next.App = clientName(op.Get(op.Doc(op.Get(client, "application")), "name"))
	driver := op.Doc(op.Get(client, "driver"))
	next.Driver = strings.TrimSpace(clientName(op.Get(driver, "name")) + " " + clientName(op.Get(driver, "version")))
	return &next
}

// byCertificate reports whether a handshake, or a command that logs in, names the
// mechanism of X.509.
func byCertificate(body bsoncore.Document) bool {
	if early := op.Doc(op.Get(body, "speculativeAuthenticate")); early != nil {
		body = early
	}
	return op.Str(op.Get(body, "mechanism")) == "MONGODB-X509"
}

// clientName copies a name, without what a terminal would obey.
func clientName(v bsoncore.Value) string {
	s := op.Str(v)
	if len(s) > maxClientName {
		s = s[:maxClientName]
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.Clone(s))
}

// maxHosts bounds how many advertised members are kept of one hello.
const maxHosts = 64

// advertised lists the members a hello reply sends drivers to.
func advertised(body bsoncore.Document) []string {
	var hosts []string
	for _, field := range []string{"hosts", "passives", "arbiters"} {
		arr := op.Arr(op.Get(body, field))
		if arr == nil {
			continue
		}
		for item := range op.Items(arr) {
			if h := clientName(item); h != "" && len(hosts) < maxHosts {
				hosts = append(hosts, h)
			}
		}
	}
	return hosts
}
