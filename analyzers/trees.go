package analyzers

type pairKey struct{}
type pair struct{}
type walks struct{}
type nested struct{}
type arrayKey struct{}
type kids struct{}

func childArray(path string) bool { return false }
