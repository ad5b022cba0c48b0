package sketch

// Top keeps the most frequent keys of a stream in constant room (space-saving,
// Metwally et al. 2005): a key whose true count is more than total/limit is
// certainly in it. Of two keys with the same count the older one goes first, so
// that the same stream gives the same answer.
type Top[V any] struct {
	max   int
	items map[uint64]*Item[V]
	total int64
	added int64
	// heap of items by (count, age), the one to go first at the front
	heap []*Item[V]
}

// Item is one key with its count.
type Item[V any] struct {
	Key   uint64
	Count int64 // never too low for what was added since it entered, plus Over
	Over  int64 // by how much Count may be too high
	Value V     // the caller's own; the zero value when the key enters
	age   int64
	at    int
}

// NewTop keeps at most limit keys.
func NewTop[V any](limit int) *Top[V] {
	return &Top[V]{max: limit, items: map[uint64]*Item[V]{}}
}

// Add counts n more of a key and returns its item.
func (t *Top[V]) Add(key uint64, n int64) *Item[V] {
	t.total += n
	it, ok := t.items[key]
	if !ok {
		t.added++
		if len(t.heap) < t.max {
			it = &Item[V]{Key: key, age: t.added, at: len(t.heap)}
			t.heap = append(t.heap, it)
		} else {
			it = t.heap[0]
			delete(t.items, it.Key)
			var zero V
			it.Key, it.Over, it.Value, it.age = key, it.Count, zero, t.added
		}
		t.items[key] = it
	}
	it.Count += n
	t.up(it.at)
	t.down(it.at)
	return it
}

// Get returns the item of a key, or nil.
func (t *Top[V]) Get(key uint64) *Item[V] { return t.items[key] }

// Least returns the item that goes first for want of room, or nil.
func (t *Top[V]) Least() *Item[V] {
	if len(t.heap) == 0 {
		return nil
	}
	return t.heap[0]
}

// Total is the sum of everything added.
func (t *Top[V]) Total() int64 { return t.total }

// Len is how many keys are kept.
func (t *Top[V]) Len() int { return len(t.heap) }

// Items calls each for every key that is kept, in no order that means anything.
func (t *Top[V]) Items(each func(*Item[V])) {
	for _, it := range t.heap {
		each(it)
	}
}

func (t *Top[V]) less(i, j int) bool {
	a, b := t.heap[i], t.heap[j]
	return a.Count < b.Count || a.Count == b.Count && a.age < b.age
}

func (t *Top[V]) swap(i, j int) {
	t.heap[i], t.heap[j] = t.heap[j], t.heap[i]
	t.heap[i].at, t.heap[j].at = i, j
}

func (t *Top[V]) up(i int) {
	for i > 0 && t.less(i, (i-1)/2) {
		t.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (t *Top[V]) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if t.less(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		t.swap(i, least)
		i = least
	}
}
