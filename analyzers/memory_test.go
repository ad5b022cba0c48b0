package analyzers

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

// worstStates fills the states of the rules about writes and documents to their
// bounds, each with nothing but different names, documents and values.
var worstStates = []struct {
	rules string
	fill  func() any
}{
	{"W01, S01 to S03, I04", func() any {
		all := arrayState().New().(*arrays)
		for n := range maxCounts {
			all.count(op.Namespace{DB: "d", Coll: fmt.Sprintf("collection%d", n)})
		}
		for n := range maxCollections {
			c := all.of(op.Namespace{DB: "d", Coll: fmt.Sprintf("collection%d", n)})
			for i := range maxArrays {
				x := c.array(fmt.Sprintf("a.rather.long.path.to.an.array%d", i))
				for v := range maxValues {
					x.values.Add(uint64(v))
				}
			}
			for i := range maxDocuments {
				c.track(c.arrays[i%maxArrays], uint64(i), 1)
				c.waiting.Add(uint64(i), 1)
				c.sizes.Add(uint64(i), 1).Value = &docSizes{}
			}
		}
		return all
	}},
	{"W03", func() any {
		var all []*keyMaps
		for range unboundedMapKeys().State.Max {
			k := newKeyMaps()
			for i := range 3 * maxTriples {
				k.add("c", uint64(i), mapKey{Prefix: fmt.Sprintf("map%s", strings.Repeat("x", i%maxMaps)), Key: fmt.Sprint(1_000_000 + i), Data: true})
			}
			k.maps.Items(func(it *sketch.Item[*keyMap]) {
				for i := range maxMapKeys {
					it.Value.keys.Add(uint64(i))
				}
			})
			all = append(all, k)
		}
		return all
	}},
	{"W04", func() any {
		var all []*rewrites
		for range wholeDocumentRewrite().State.Max {
			k := newRewrites()
			for i := range maxRewritten {
				k.documents.Add(uint64(i), 1)
				k.saved.Add(uint64(i))
			}
			all = append(all, k)
		}
		return all
	}},
	{"W05", func() any {
		var all []*writeBurst
		for range 1024 {
			b := &writeBurst{targets: sketch.NewSet(maxTargets)}
			for i := range maxTargets {
				b.targets.Add(uint64(i))
			}
			all = append(all, b)
		}
		return all
	}},
	{"W07", func() any {
		var all []*heat
		for range hotCounterDocument().State.Max {
			h := newHeat()
			for i := range hotDocuments {
				h.documents.Add(uint64(i), 1)
			}
			all = append(all, h)
		}
		return all
	}},
	{"W08", func() any {
		var all []*copies
		for range volatileReferenceFanout().State.Max {
			k := newCopies()
			for i := range maxCopies {
				for v := range maxOriginals {
					k.add(op.Namespace{DB: "d", Coll: "c"}, fanout{ID: fmt.Sprint(i), value: uint64(v)}, time.Unix(0, 0), 1)
				}
			}
			all = append(all, k)
		}
		return all
	}},
	{"S04", func() any {
		all := newCatalogues()
		for n := range 2 * maxAllNames {
			all.add(op.Namespace{DB: fmt.Sprintf("d%d", n%200), Coll: fmt.Sprintf("%x_2026_01", n)})
		}
		return all
	}},
	{"S06", func() any {
		all := newEventStreams()
		for n := range 2 * maxStreams {
			x := all.collections.at(op.Namespace{DB: "d", Coll: fmt.Sprint(n)})
			x.today(time.Unix(0, 0), 1)
			for i := range maxSourceFields {
				f := x.field(fmt.Sprintf("field%d", i))
				for v := range maxSourceValues {
					f.add(uint64(v))
				}
			}
		}
		return all
	}},
	{"S08", func() any {
		all := newDrifts()
		for n := range 2 * maxTypedCollections {
			c := all.collections.at(op.Namespace{DB: "d", Coll: fmt.Sprint(n)})
			for i := range maxTypedPaths {
				c.at(uint64(i))
			}
		}
		return all
	}},
	{"S09", func() any {
		all := newAttributes()
		for n := range 2 * maxAttributeCollections {
			for g := range maxAttributeGroups {
				for i := range maxAttributeFields {
					all.ask(op.Namespace{DB: "d", Coll: fmt.Sprint(n)}, fmt.Sprintf("group%d.attribute%d", g, i))
				}
			}
		}
		return all
	}},
}

// TestWorstStates holds what the states of these rules can take in memory,
// whatever the traffic.
func TestWorstStates(t *testing.T) {
	const most = 150 << 20
	var sum, before, after uint64
	for _, s := range worstStates {
		before = heapInUse()
		state := s.fill()
		after = heapInUse()
		runtime.KeepAlive(state)
		used := max(after, before) - before
		t.Logf("%s: %d KB", s.rules, used>>10)
		sum += used
	}
	if t.Logf("together: %d KB", sum>>10); sum > most {
		t.Errorf("full states take %d MB, want at most %d", sum>>20, most>>20)
	}
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
