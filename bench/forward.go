package main

import (
	"fmt"
	"io"
	"net"
)

// serveCopy is the least a forwarder can do. It prints its address.
func serveCopy(upstream string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go copyBoth(c.(*net.TCPConn), upstream)
	}
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
