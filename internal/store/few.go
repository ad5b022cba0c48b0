package store

import "slices"

// maxFew is how many distinct hashes are told apart; from there on it is "at
// least". Two hundred findings of that many cost 100 KiB.
const maxFew = 64

// few counts distinct hashes as long as they are few.
type few []uint64

func (f *few) add(hash uint64) {
	if len(*f) < maxFew && !slices.Contains(*f, hash) {
		*f = append(*f, hash)
	}
}

// name is the evidence's name: a full count is a lower bound.
func (f few) name(what string) string {
	if len(f) == maxFew {
		return atLeast(what)
	}
	return what
}

func atLeast(what string) string { return what + "_at_least" }
