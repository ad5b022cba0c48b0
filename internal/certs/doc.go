// Package certs reads TLS certificates from files and follows their changes: a
// new certificate counts from the next handshake on, and no connection is cut.
package certs
