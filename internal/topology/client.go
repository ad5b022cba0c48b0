package topology

import (
	"bytes"

	"mongoadvisor/wire"
)

// clientSide notes requests and rewrites those that name members.
type clientSide struct{ r *Rewriter }

// msgHead is how many bytes of an OP_MSG tell its command: header, flags, kind,
// length of the document, type of its first field, and a name with its end. One
// that has no end here is longer than any we look for.
const (
	msgPrefix = wire.HeaderSize + 4 + 1 + 4 + 1
	msgHead   = msgPrefix + longestName + 1
)

func (s *clientSide) lost() bool { return s.r.lost.Load() }

func (s *clientSide) look(a []byte) (v verdict) {
	defer s.r.caught(func() { v = verdict{do: lose} })
	op, v := framing(a)
	if v.do == lose {
		s.r.lose(&s.r.m.Stats.Unframed)
	}
	if v.do != pass {
		return v
	}
	switch op {
	case wire.OpMsg:
		return s.lookMsg(a, v)
	case wire.OpQuery: // handshakes; the command may be wrapped, so all of it is read
		if v.n <= maxCompressed {
			v.do = hold
		}
	case wire.OpCompressed:
		if v.n <= maxCompressed {
			v.do = hold
		}
	}
	return v
}

// lookMsg finds the command of a plain message. None of those we look for comes
// with sequences, so that one in front of the body is an answer too.
func (s *clientSide) lookMsg(a []byte, v verdict) verdict {
	if want := min(v.n, msgHead); len(a) < want {
		return verdict{more, want}
	}
	head := a[:min(v.n, msgHead)]
	if len(head) <= msgPrefix || head[wire.HeaderSize+4] != 0 {
		return v
	}
	end := bytes.IndexByte(head[msgPrefix:], 0)
	if end < 0 {
		return v
	}
	c := commands[string(head[msgPrefix:msgPrefix+end])]
	switch {
	case c == uninteresting:
	case c.inRequest() != nil && v.n > maxRequest:
		s.r.m.Stats.TooLong.Add(1)
	case c.inRequest() != nil:
		v.do = hold
	case !wire.MsgFlags(i32(a[wire.HeaderSize:])).Has(wire.MoreToCome): // else no reply comes
		s.r.note(i32(a[4:]), c)
	}
	return v
}

func (s *clientSide) rewrite(b []byte) (out []byte) {
	defer s.r.caught(func() { out = nil })
	m, err := open(b, maxRequest)
	if err != nil {
		s.r.skip(err)
		return nil
	}
	c, fs := m.command()
	switch {
	case c.inRequest() != nil:
		out = m.renamed(fs, func(name []byte) (string, bool) { return s.r.m.inner(string(name), s.r.local) })
		if out != nil {
			s.r.m.Stats.Rewritten.Add(1)
		}
	case c.inReply() != nil && !m.flags().Has(wire.MoreToCome):
		s.r.note(m.RequestID, c)
	}
	return out
}

// command finds the command of a request, and where it names members.
func (m *message) command() (command, fields) {
	doc := m.doc
	if len(doc) <= 5 {
		return uninteresting, nil
	}
	if m.OpCode == wire.OpQuery {
		if q, err := wire.DecodeQuery(m.Message); err != nil || !bytes.HasSuffix([]byte(q.Collection), []byte(".$cmd")) {
			return uninteresting, nil
		}
		for _, wrapper := range []string{"$query", "query"} { // {$query: {isMaster: 1}, $readPreference: …}
			if inner, ok := doc.Lookup(wrapper).DocumentOK(); ok && len(inner) > 5 {
				c := commands[first(inner)]
				return c, fields{wrapper: {fields: c.inRequest()}}
			}
		}
	}
	c := commands[first(doc)]
	return c, c.inRequest()
}

// first is the name of a document's first field. The document was validated.
func first(doc []byte) string {
	name, _, _ := bytes.Cut(doc[5:], []byte{0})
	return string(name)
}
