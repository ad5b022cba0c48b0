package chaos

import "time"

// apps are all clients of one phase, on a database of their own: each compressor,
// and each way of using a server that fails in a way of its own.
func (s *stage) apps(db string) []*app {
	s.t.Helper()
	s.stock(db)
	return []*app{
		writer(db, "plain", ""),
		writer(db, "snappy", "&compressors=snappy"),
		writer(db, "zlib", "&compressors=zlib"),
		writer(db, "zstd", "&compressors=zstd&timeoutMS=40000"), // retries until then, not just once
		counter(db),
		transfers(db),
		files(db),
		reader(db),
		pipelines(db),
		newcomer(db, s.uri),
		careless(db),
		follower(db, s.now()),
	}
}

// Pauses between two steps: the two cores of a usual machine for tests have three
// servers, the proxy and a dozen clients to run.
const (
	often  = 15 * time.Millisecond
	seldom = 100 * time.Millisecond
)
