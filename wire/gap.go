package wire

// Gap tells the framer that bytes of the stream are missing from where it stands: n of them, or nobody knows how many when n
// is negative. Forwarded bytes have no gaps; those of a packet capture do.
//
// A message that has all of the gap inside goes on behind it, and is Cut where the gap begins. One of which the end is missing
// is handed over as it is (ok), when its header was seen; the framer then looks for the next plausible header, see [Plausible],
// and passes over what stands before it.
func (f *Framer) Gap(n int) (m Message, ok bool) {
	switch {
	case n == 0 || f.stage == stageLost || f.stage == stageSearch:
		return Message{}, false
	case f.stage == stageBody:
		left := f.hdr.BodySize() - f.got
		inside := n > 0 && n <= left
		f.hole(min(uint(n), uint(left))) // a negative n is more than all
		if f.got < f.hdr.BodySize() {
			return Message{}, false
		}
		m, ok = f.take(), true
		if inside {
			return m, ok
		}
	}
	f.seek(nil)
	return m, ok
}

// hole passes over n bytes of the body that never came.
func (f *Framer) hole(n uint) {
	f.keep = min(f.keep, len(f.body))
	f.got += int(n)
	if f.tail != nil || f.got > f.hdr.BodySize()-TailSize {
		f.tail, f.bare = nil, true // the tail would not be whole
	}
}

// Resyncs is how often the framer found its place again behind a gap, and Missed how many bytes it passed over for that.
func (f *Framer) Resyncs() (times, missed int) { return f.resyncs, f.missed }

// Searching tells whether the framer looks for the start of a message.
func (f *Framer) Searching() bool { return f.stage == stageSearch }

// seek starts the search; seen are bytes that are to be searched, fewer than PlausibleSize.
func (f *Framer) seek(seen []byte) {
	f.stage, f.headLen, f.body, f.tail = stageSearch, 0, nil, nil
	f.hunt = append(f.hunt[:0], seen...)
}

// search passes over chunk up to a plausible header, which it takes. The last bytes of what it saw are kept while they may be
// the start of one.
func (f *Framer) search(chunk []byte) []byte {
	if kept := len(f.hunt); kept > 0 {
		f.hunt = append(f.hunt, chunk[:min(len(chunk), PlausibleSize-1)]...)
		at := FindHeader(f.hunt, f.Side)
		switch {
		case at >= 0 && at < kept:
			f.missed += at
			f.found(f.hunt[at:])
			if body := at + HeaderSize; body < kept {
				f.fill(f.hunt[body:kept]) // not the end of it: a plausible message is longer
			}
			return chunk[max(at+HeaderSize-kept, 0):]
		case at < 0 && len(chunk) < PlausibleSize:
			drop := max(len(f.hunt)-PlausibleSize+1, 0)
			f.missed += drop
			f.hunt = append(f.hunt[:0], f.hunt[drop:]...)
			return nil
		}
		f.missed += kept // no header begins there
	}
	f.hunt = f.hunt[:0]
	at := FindHeader(chunk, f.Side)
	if at < 0 {
		drop := max(len(chunk)-PlausibleSize+1, 0)
		f.missed += drop
		f.hunt = append(f.hunt, chunk[drop:]...)
		return nil
	}
	f.missed += at
	f.found(chunk[at:])
	return chunk[at+HeaderSize:]
}

// found takes the header b begins with.
func (f *Framer) found(b []byte) {
	f.headLen = copy(f.head[:], b)
	f.resyncs++
	f.endHeader()
	f.doubtful = true
}

// doubt looks at the header behind the first message after a search: what was found may have been part of a value.
func (f *Framer) doubt() bool {
	h := parseHeader(&f.head)
	reply := h.ResponseTo != 0
	wrong := f.Side == SideClient && reply || f.Side == SideServer && !reply
	return !legalLength(h.Length) || h.OpCode.Label() == labelOther || wrong
}
