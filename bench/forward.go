package main

import (
	"io"
	"net"
)

// serveCopy is the least a forwarder can do.
func serveCopy(upstream string) error {
	return serve(func(c *net.TCPConn) { copyBoth(c, upstream) })
}

func copyBoth(client *net.TCPConn, upstream string) {
	defer func() { _ = client.Close() }()
	c, err := net.Dial("tcp", upstream)
	if err != nil {
		return
	}
	server := c.(*net.TCPConn)
	defer func() { _ = server.Close() }()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(server, client)
		_ = server.CloseWrite()
	}()
	_, _ = io.Copy(client, server)
	_ = client.CloseWrite()
	<-done
}
