package proxy

// Hooks tell the host what happens. Each may be nil: then nothing is told.
// They are called from the goroutines that serve connections, concurrently,
// must return soon and must not panic.
type Hooks struct {
	// Opened is called when the upstream of a connection has been dialled.
	Opened func(Conn)
	// Closed is called once for each Opened, with the bytes written on from
	// client to server (up) and from server to client (down).
	Closed func(c Conn, up, down int64)
	// Forwarded is called for each chunk after it was written. It runs on the
	// path of the bytes: an atomic addition is about what it may cost.
	Forwarded func(clientToServer bool, n int)
	// UpstreamUp is called after each attempt to dial the upstream, except
	// those given up because the client or the server went away meanwhile.
	UpstreamUp func(up bool, err error)
	// Refused is called for each connection that was closed unserved, except
	// those whose client went away first.
	Refused func(*Refusal)
	// TapPanic is called with what a tap panicked with. The connection goes on
	// without the tap. It may be called again for the same tap's Close.
	TapPanic func(v any)
	// Error is called for what is nobody's connection in particular: failed
	// accepts, an address of localhost that this machine does not have. And for a
	// Rewriter that panicked, which ends its connection.
	Error func(err error)
}

func (h *Hooks) opened(c Conn) {
	if h.Opened != nil {
		h.Opened(c)
	}
}

func (h *Hooks) closed(c Conn, up, down int64) {
	if h.Closed != nil {
		h.Closed(c, up, down)
	}
}

func (h *Hooks) forwarded(clientToServer bool, n int) {
	if h.Forwarded != nil {
		h.Forwarded(clientToServer, n)
	}
}

func (h *Hooks) upstreamUp(up bool, err error) {
	if h.UpstreamUp != nil {
		h.UpstreamUp(up, err)
	}
}

func (h *Hooks) refused(r *Refusal) {
	if h.Refused != nil {
		h.Refused(r)
	}
}

func (h *Hooks) tapPanic(v any) {
	if h.TapPanic != nil {
		h.TapPanic(v)
	}
}

func (h *Hooks) error(err error) {
	if h.Error != nil {
		h.Error(err)
	}
}
