package analyzers

type pairKey struct{}
type pair struct{}
