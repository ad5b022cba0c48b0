package op

import "time"

// Snapshot is what an inspection of a live server found at one time.
type Snapshot struct {
	Time        time.Time
	Version     string
	Members     []string
	Collections []Collection
}

// Collection is one inspected collection.
type Collection struct {
	NS      Namespace
	Indexes []Index
}
