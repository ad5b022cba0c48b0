package main

import "strings"

// strangers are clients that speak something else.
func strangers() []test {
	live := msg(1, 0, body(ping))
	var all []test
	for _, t := range []struct{ name, bytes string }{
		{"HTTP", "GET / HTTP/1.1\r\nHost: db\r\n\r\n"},
		{"HTTP POST", "POST /x HTTP/1.0\r\n\r\n"},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
		{"SSH", "SSH-2.0-OpenSSH_9.2\r\n"},
		{"Redis", "*1\r\n$4\r\nPING\r\n"},
		{"PROXY 1", "PROXY TCP4 192.0.2.1 192.0.2.2 50000 27017\r\n" + string(live)},
		{"PROXY 2", "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\xc0\x00\x02\x01\xc0\x00\x02\x02\xc3\x50\x69\x89" + string(live)},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\x5a", 500)},
		{"zeros", strings.Repeat("\x00", 64)},
		{"one byte", "\x01"},
		{"nothing", ""},
		{"after a message", string(live) + "GET / HTTP/1.1\r\n\r\n"},
	} {
		all = append(all, test{name: "stranger/" + t.name, run: func(x *session) { x.send([]byte(t.bytes)); x.finish() }})
	}
	return all
}
