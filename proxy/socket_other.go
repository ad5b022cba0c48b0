//go:build !unix

package proxy

func newSocketReader(c socket) (reader, error) {
	return &streamReader{conn: c}, nil
}

func newSocketWriter(c socket) (writer, error) { return c, nil }
