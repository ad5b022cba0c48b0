//go:build !unix

package proxy

import "net"

func newTCPReader(c *net.TCPConn) (reader, error) {
	return &streamReader{conn: c}, nil
}
