package topology

import (
	"mongoadvisor/wire"
)

// serverSide rewrites the replies to noted requests.
type serverSide struct {
	r     *Rewriter
	reply command // of the message that is held
}

func (s *serverSide) lost() bool { return s.r.lost.Load() }

func (s *serverSide) look(a []byte) (v verdict) {
	defer s.r.caught(func() { v = verdict{do: lose} })
	_, v = framing(a)
	if v.do == lose {
		s.r.lose(&s.r.m.Stats.Unframed)
	}
	if v.do != pass {
		return v
	}
	c := s.r.pending.take(i32(a[8:]))
	switch {
	case c == uninteresting:
	case v.n > maxReply:
		s.r.m.Stats.TooLong.Add(1)
	default:
		s.reply, v.do = c, hold
	}
	return v
}

func (s *serverSide) rewrite(b []byte) (out []byte) {
	defer s.r.caught(func() { out = nil })
	m, err := open(b, maxReply)
	if m.flags().Has(wire.MoreToCome) { // the next reply answers this one
		s.r.note(m.RequestID, s.reply)
	}
	if err != nil {
		s.r.skip(err)
		return nil
	}
	if s.reply == hello {
		s.r.m.learn(readView(m.doc))
	}
	out = m.renamed(s.reply.inReply(), func(name []byte) (string, bool) { return s.r.m.outer(string(name), s.r.local) })
	if out != nil {
		s.r.m.Stats.Rewritten.Add(1)
	}
	return out
}

// renamed is the message with its names translated, or nil if none was.
func (m *message) renamed(fs fields, translate func([]byte) (string, bool)) []byte {
	doc, changed := rename(make([]byte, 0, len(m.doc)+256), m.doc, fs, translate)
	if !changed {
		return nil
	}
	return m.with(doc)
}
