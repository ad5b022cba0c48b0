package pcap

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
)

// Has is what the source tells: less when only one direction was captured.
func (t *Capture) Has() op.Has {
	switch t.direction() {
	case "requests":
		return op.HasConn | op.HasEvery
	case "replies":
		return 0
	}
	return op.HasTraffic
}

// direction is which one was captured, "" for both.
func (t *Capture) direction() string {
	var n [2]int64
	for d := range n {
		for i := range t.stats.Messages[d] {
			n[d] += t.stats.Messages[d][i].Load()
		}
	}
	switch {
	case n[session.FromClient] > 0 && n[session.FromServer] == 0:
		return "requests"
	case n[session.FromClient] == 0 && n[session.FromServer] > 0:
		return "replies"
	}
	return ""
}

// lost counts what is missing of a stream.
func (t *Capture) lost(n int) {
	t.packets.Gaps++
	if n > 0 {
		t.packets.LostBytes += int64(n)
	}
}

// maxElsewhere bounds the ports that are counted of other connections.
const maxElsewhere = 1024

// foreign counts a connection that is not ours.
func (t *Capture) foreign(port uint16) {
	t.packets.OtherTCP++
	if _, known := t.elsewhere[port]; known || len(t.elsewhere) < maxElsewhere {
		t.elsewhere[port]++
	}
}

// Dropped counts packets that the capturing program or the kernel lost.
func (t *Capture) Dropped(n int64) { t.packets.Dropped += n }

// Incomplete says that a file ended inside a packet.
func (t *Capture) Incomplete() { t.packets.Incomplete = true }

// Coverage is what was seen so far. Connections that are open count with what they
// have got.
func (t *Capture) Coverage() op.Coverage {
	c := t.stats.Coverage()
	p := t.packets
	p.Skipped = maps.Clone(p.Skipped)
	p.OneDirection = t.direction()
	c.Packets = &p
	if all := c.Bytes + p.LostBytes; all > 0 {
		c.Ratio = min(c.Ratio, 1-float64(c.BytesUninspected+p.LostBytes)/float64(all))
	}
	return c
}

// Why words the likely reason when no message was found: "" when one was.
func (t *Capture) Why() string {
	switch {
	case t.messages > 0:
		return ""
	case t.packets.Packets == 0:
		return "the capture holds no packets"
	case t.packets.TLS > 0:
		return fmt.Sprintf("connections that are TLS: %d; capture behind what ends it, or put the proxy in front (listen-tls-cert)", t.packets.TLS)
	case len(t.elsewhere) > 0:
		return "no connection speaks MongoDB; those seen are on the ports " + t.topPorts() + "; name the server's with --port"
	case t.stats.Uninspected.Load() > 0:
		return "nothing on the servers' ports can be read as MongoDB's protocol"
	case t.packets.Skipped[skipLink] == t.packets.Packets:
		return "of a link type that is not known"
	}
	return "there is no TCP payload in it"
}

// topPorts are the ports most connections that are not ours have.
func (t *Capture) topPorts() string {
	ports := slices.SortedFunc(maps.Keys(t.elsewhere), func(a, b uint16) int {
		if d := t.elsewhere[b] - t.elsewhere[a]; d != 0 {
			return int(d)
		}
		return int(a) - int(b)
	})
	var b bytes.Buffer
	for i, p := range ports[:min(len(ports), 5)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d", p)
	}
	return b.String()
}
