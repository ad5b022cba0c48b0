package topology

import "encoding/binary"

// cutter cuts one direction into messages, of which it holds back only the
// interesting ones. It owns what it holds; what feed returns is valid until the
// next call, and aliases b where nothing was changed.
type cutter struct {
	side side

	held  []byte // the start of a message, not passed yet
	need  int    // bytes of it to have before it is looked at, or rewritten when whole
	whole bool   // it is to be rewritten
	left  int    // bytes of the current message that pass without a look
	out   []byte // what feed returns when it cannot return part of b
}

// side is what differs between the directions.
type side interface {
	// lost tells whether the connection passes unchanged.
	lost() bool
	// look judges a message by its first bytes, of which a has some at least,
	// and perhaps more than the message. When it wants more it has changed
	// nothing; any other verdict is asked for once for each message.
	look(a []byte) verdict
	// rewrite returns what goes out in the place of a whole message, or nil for
	// the message itself. It may give the stream up.
	rewrite(message []byte) []byte
}

// verdict says what becomes of a message.
type verdict struct {
	do action
	n  int // pass, hold: its length; more: how many of its bytes are needed, more than there are
}

type action uint8

const (
	pass action = iota // unchanged
	hold               // until it is whole, then rewrite
	more               // cannot be told yet
	lose               // the stream is not framed
)

// keptBuffer is the largest buffer in bytes that is kept for the next message.
const keptBuffer = 64 << 10

func (c *cutter) feed(b []byte) []byte {
	if cap(c.out) > keptBuffer {
		c.out = nil
	}
	c.out = c.out[:0]
	from, to := 0, 0 // b[from:to] passes and is not in out
	for i := 0; i < len(b); {
		switch {
		case c.side.lost():
			c.release()
			i, to = len(b), len(b)
		case c.left > 0:
			n := min(c.left, len(b)-i)
			c.left -= n
			i += n
			to = i
		case len(c.held) > 0:
			n := min(c.need-len(c.held), len(b)-i)
			c.held = append(c.held, b[i:i+n]...)
			i += n
			from, to = i, i
			if len(c.held) == c.need {
				c.decide()
			}
		default:
			n, changed := c.inPlace(b[i:])
			if changed == nil {
				i += n
				if len(c.held) == 0 {
					to = i
				}
				continue
			}
			c.out = append(c.out, b[from:to]...)
			c.out = append(c.out, changed...)
			i += n
			from, to = i, i
		}
	}
	if len(c.out) == 0 {
		return b[from:to]
	}
	c.out = append(c.out, b[from:to]...)
	return c.out
}

// inPlace looks at a message that starts with a, of which nothing is held. It
// says how many bytes of a are dealt with and, when they were a whole message
// that was rewritten, what goes out instead. Bytes that it held are dealt with.
func (c *cutter) inPlace(a []byte) (n int, changed []byte) {
	v := c.side.look(a)
	switch v.do {
	case pass:
		c.left = v.n
		return 0, nil
	case hold:
		if len(a) >= v.n {
			return v.n, c.side.rewrite(a[:v.n])
		}
		c.whole = true
	case lose:
		return 0, nil // lost says so
	}
	c.held, c.need = append(c.held, a...), v.n
	return len(a), nil
}

// decide is called when as much is held as was needed.
func (c *cutter) decide() {
	if c.whole {
		if changed := c.side.rewrite(c.held); changed != nil {
			c.out = append(c.out, changed...)
			c.forget()
			return
		}
		c.release()
		return
	}
	switch v := c.side.look(c.held); {
	case v.do == hold && v.n > len(c.held):
		c.whole, c.need = true, v.n
	case v.do == hold:
		c.whole = true
		c.decide()
	case v.do == more:
		c.need = v.n
	case v.do == pass:
		c.left = v.n - len(c.held)
		c.release()
	default:
		c.release()
	}
}

// release passes what is held as it is.
func (c *cutter) release() {
	c.out = append(c.out, c.held...)
	c.forget()
}

func (c *cutter) forget() {
	c.held, c.need, c.whole = c.held[:0], 0, false
	if cap(c.held) > keptBuffer {
		c.held = nil
	}
}

// end returns what is held back when the direction has ended.
func (c *cutter) end() []byte {
	c.out = c.out[:0]
	c.release()
	return c.out
}

func i32(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }
