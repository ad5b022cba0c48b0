package op

// Conn says who sent an operation. It is not changed once an operation carries
// it: a handshake that is seen later makes a new one.
type Conn struct {
	ID     uint64 // unique in one run of one source
	Client string // address of the client, "host:port"; empty when unknown
	Server string // address of the server behind it
	App    string // client.application.name of the handshake, at most 128 bytes
	Driver string // "nodejs 6.3.0": driver name and version of the handshake
	User   string // never filled from the wire: authentication payloads are not read
	// Handshake reports whether the handshake was seen: without it, an empty App
	// proves nothing.
	Handshake bool
}
