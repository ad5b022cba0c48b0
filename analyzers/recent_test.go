package analyzers

import (
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// What is full of things past is not blind to what comes.
func TestRecentKeepsWhatIsUsed(t *testing.T) {
	made := 0
	r := newRecent(8, ownedKey[int], func() *int { made++; return new(int) })
	for i := range 1000 {
		*r.at(i)++
		*r.at(-1)++
		if n := len(r.young) + len(r.old); n > 8 {
			t.Fatalf("%d are kept", n)
		}
	}
	if n := *r.at(-1); n != 1000 || made != 1001 {
		t.Errorf("what is used all the time was forgotten: %d of 1000", n)
	}
	if r.known(3) != nil || r.known(999) == nil {
		t.Error("the last ones are known, and the first are not")
	}
}

// TestOldPlacesMakeRoom: a collection that has errors, cursors, transactions or
// indexes of its own long after thousands of others is seen all the same.
func TestOldPlacesMakeRoom(t *testing.T) {
	storms, seen, reads, ddl := newStorms(), newHabits(), newLargeReads(), newDDL()
	ended, pairs := newTransactions(), newPairs()
	at := time.Unix(1_700_000_000, 0)
	for i := range 5000 {
		ns := op.Namespace{DB: "d", Coll: fmt.Sprint("c", i)}
		storms.at(stormKey{ns: ns}).errors++
		seen.of(ns, op.Shape{}).kept++
		reads.count(&cursor{ns: ns}, at)
		ddl.at(ddlKey{"create", ns}).Add(at, 1)
		ended.habit(&transaction{ns: ns}, op.Shape{}).committed++
		pairs.at(pairKey{field: uint64(i)}).pairs++
	}
	last := op.Namespace{DB: "d", Coll: "c4999"}
	times, _ := reads.count(&cursor{ns: last}, at)
	if storms.known(stormKey{ns: last}) == nil || seen.of(last, op.Shape{}).kept != 1 || times != 2 || ddl.known(ddlKey{"create", last}) == nil ||
		ended.habit(&transaction{ns: last}, op.Shape{}).committed != 1 || pairs.known(pairKey{field: 4999}) == nil {
		t.Error("the last of many is not known")
	}
}

// A reply with a field for each word leaves the paths of the others alone.
func TestOneReplyTakesFewPaths(t *testing.T) {
	state := newTrail()
	var d bson.D
	for i := range maxDocFields {
		d = append(d, bson.E{Key: string([]rune{'a' + rune(i/26), 'a' + rune(i%26), 'x'}), Value: int32(i)})
	}
	ns := op.Namespace{DB: "d", Coll: "c"}
	o := &op.Operation{Command: "find", NS: ns, Reply: op.Reply{Seen: true, OK: true}}
	o.Reply.Docs = []bsoncore.Document{marshal(t, d)}
	state.learn(o, state.space(ns), 0)
	if n := len(state.paths); n != maxPathsRead {
		t.Errorf("%d paths of one reply are kept, at most %d", n, maxPathsRead)
	}
}
