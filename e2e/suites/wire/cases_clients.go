package main

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// clients are patient, hasty and vanishing ones.
func clients() []test {
	live := msg(1, 0, body(ping))
	drip := func(x *session, m []byte) {
		for i := range m {
			x.send(m[i : i+1])
		}
	}
	return []test{
		{name: "client/drips a ping", run: func(x *session) { drip(x, live); x.answer(); x.alive() }},
		{name: "client/drips a hello", run: func(x *session) { drip(x, msg(1, 0, body("hello"))); x.answer(); x.alive() }},
		{name: "client/drips OP_QUERY", run: func(x *session) {
			drip(x, message(1, opQuery, query("admin.$cmd", -1, doc(e("isMaster", 1)))))
			x.answer()
		}},
		{name: "client/drips a bulk", run: func(x *session) {
			drip(x, msg(1, 0, on("insert", "drips"), sequence("documents", doc(e("_id", 1)), doc(e("_id", 2)), doc(e("_id", 1)))))
			x.answer()
		}},
		{name: "client/drips compressed", run: func(x *session) {
			x.ask(msg(1, 0, body("hello", e("compression", []string{"zlib"}))))
			drip(x, compressed(2, msg(2, 0, body(ping))))
			x.answer()
		}},
		{name: "client/drips slowly", long: true, run: func(x *session) {
			for i := range live {
				x.send(live[i : i+1])
				time.Sleep(10 * time.Millisecond)
			}
			x.answer()
		}},
		{name: "client/100 requests in one piece", run: func(x *session) {
			var all []byte
			for i := range int32(100) {
				all = append(all, msg(i+1, 0, body(ping))...)
			}
			x.send(all)
			for range 100 {
				x.answer()
			}
		}},
		{name: "client/unacknowledged writes between", run: func(x *session) {
			w0 := on("insert", "w0", e("writeConcern", bson.D{e("w", 0)}))
			for i := range int32(5) {
				x.send(msg(10*i+1, moreToCome, w0, sequence("documents", doc(e("_id", i)))), msg(10*i+2, 0, on("count", "w0")))
				x.answer()
			}
		}},
		{name: "client/half-closes, then reads", run: func(x *session) { x.send(live); x.finish() }},
		{name: "client/half-closes after 20 requests", run: func(x *session) { x.send(bytes.Repeat(live, 20)); x.finish() }},
		{name: "client/half-closes at once", run: func(x *session) { x.finish() }},
		{name: "client/half-closes after a large find", run: func(x *session) {
			x.send(msg(1, 0, on("insert", "large"), sequence("documents", doc(e("_id", 1), e("x", strings.Repeat("y", 4<<20))))))
			x.answer()
			x.send(msg(2, 0, on("find", "large")))
			x.finish()
		}},
		{name: "client/vanishes in a message", run: func(x *session) { x.send(live[:20]); vanish(x); x.dial(); x.alive() }},
		{name: "client/vanishes before the answer", run: func(x *session) { x.send(live); vanish(x); x.dial(); x.alive() }},
		{name: "client/closes during a long find", run: func(x *session) { leaves(x, "closes", func(x *session) { _ = x.conn.Close() }) }},
		{name: "client/vanishes during a long find", run: func(x *session) { leaves(x, "vanishes", vanish) }},
		{name: "client/200 connections", long: true, run: func(x *session) {
			n := 0
			var conns []net.Conn
			for range 200 {
				x.dial()
				if x.err != nil {
					return
				}
				x.send(live)
				conns = append(conns, x.conn)
			}
			for _, c := range conns {
				if m, err := readMessage(c); err == nil && len(m) > 16 {
					n++
				}
			}
			x.tell("%d answers", n)
		}},
	}
}

// vanish resets the connection, as the end of a process with unread bytes does.
func vanish(x *session) {
	c := x.opened[len(x.opened)-1]
	_ = c.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

// leaves starts a find that takes an hour, has its client leave once it runs, and
// waits until the server has ended it.
func leaves(x *session, how string, leave func(*session)) {
	x.send(msg(1, 0, on("insert", "slow"), sequence("documents", doc(), doc())))
	x.answer()
	find := on("find", "slow", e("filter", bson.D{e("$where", "sleep(3600000); return true")}), e("comment", how))
	x.send(msg(2, 0, find))
	running := func() bool {
		y := &session{server: x.server}
		y.dial()
		if y.err != nil {
			return false
		}
		defer func() { _ = y.conn.Close() }()
		y.send(msg(1, 0, body("currentOp", e("command.comment", how), e("active", true))))
		y.answer()
		return strings.Contains(fmt.Sprint(y.seen), `"comment":"`+how+`"`)
	}
	await := func(want bool) bool {
		for deadline := time.Now().Add(guard); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if running() == want {
				return true
			}
		}
		return false
	}
	if !await(true) {
		x.tell("it never ran")
		return
	}
	leave(x)
	if await(false) {
		x.tell("the server ended it")
	} else {
		x.tell("it still runs")
	}
}
