package op

import (
	"encoding/binary"
	"math"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Hash is the 64-bit FNV-1a hash of a value with its type; only equality means
// anything. Numbers that compare equal hash equal, whatever their width. It never
// leaves the process: a hash of a short value can be turned back.
func Hash(v bsoncore.Value) uint64 {
	switch v.Type {
	case bsoncore.TypeInt32, bsoncore.TypeInt64:
		if n, ok := v.AsInt64OK(); ok {
			return hashNumber(n)
		}
	case bsoncore.TypeDouble:
		if f, ok := v.DoubleOK(); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return hashNumber(int64(f))
		}
	case bsoncore.TypeSymbol:
		return hashBytes(hashByte(fnvOffset, byte(bsoncore.TypeString)), v.Data)
	}
	return hashBytes(hashByte(fnvOffset, byte(v.Type)), v.Data)
}

// HashString hashes a name or a text.
func HashString(s string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(s) {
		h = hashByte(h, s[i])
	}
	return h
}

func hashNumber(n int64) uint64 {
	var room [8]byte
	binary.LittleEndian.PutUint64(room[:], uint64(n))
	return hashBytes(hashByte(fnvOffset, byte(bsoncore.TypeInt64)), room[:])
}

func hashBytes(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = hashByte(h, c)
	}
	return h
}

func hashByte(h uint64, c byte) uint64 { return (h ^ uint64(c)) * fnvPrime }
