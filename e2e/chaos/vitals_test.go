package chaos

import (
	"fmt"
	"time"
)

// vitals are what must not grow.
type vitals struct {
	descriptors, goroutines int
	heap                    int // bytes that lived through the last collection
	resident                int // bytes
}

func (v vitals) String() string {
	return fmt.Sprintf("%d descriptors, %d goroutines, %.1f MB of live heap, %.1f MB resident", v.descriptors, v.goroutines, float64(v.heap)/1e6, float64(v.resident)/1e6)
}

func vitalsOf(samples map[string]float64) vitals {
	return vitals{
		descriptors: int(samples["process_open_fds"]), goroutines: int(samples["go_goroutines"]),
		// the next collection is due when what lived has doubled
		heap: int(samples["go_memstats_next_gc_bytes"]) / 2, resident: int(samples["process_resident_memory_bytes"]),
	}
}

// rest waits until no client is connected and nothing waits for analysis, then
// for two collections, which the scrapes themselves bring about: the heap is what
// is kept, then. Descriptors and goroutines are those that are left when none has
// gone for two seconds: what a client left behind may still be on its way out.
func (p *proxied) rest() vitals {
	p.t.Helper()
	eventually(p.t, "the proxy has no connections and nothing to analyse", func() bool {
		s := p.samples()
		return s["mongoadvisor_connections"] == 0 && s["mongoadvisor_analysis_queue_bytes"] == 0
	})
	const collections = "go_gc_duration_seconds_count"
	want := p.samples()[collections] + 2
	eventually(p.t, "the proxy has collected its garbage", func() bool { return p.samples()[collections] >= want })
	least := vitalsOf(p.samples())
	for quiet := 0; quiet < 20; quiet++ {
		time.Sleep(100 * time.Millisecond)
		v := vitalsOf(p.samples())
		if v.descriptors < least.descriptors || v.goroutines < least.goroutines {
			quiet = 0
		}
		v.descriptors, v.goroutines = min(v.descriptors, least.descriptors), min(v.goroutines, least.goroutines)
		least = v
	}
	return least
}

// What there may be beyond what there was after the warm-up. The tables of rules and
// findings have not reached their caps by then, and a scrape has some workers of its
// own; a leak with each connection would be a multiple of it.
const (
	moreGoroutines = 4
	moreHeap       = 8 << 20  // bytes
	moreResident   = 32 << 20 // bytes
)

// compare says what has grown.
func (v vitals) compare(after vitals) (grown []string) {
	for what, n := range map[string][3]int{
		"descriptors":            {v.descriptors, after.descriptors, 0},
		"goroutines":             {v.goroutines, after.goroutines, moreGoroutines},
		"bytes of heap":          {v.heap, after.heap, moreHeap},
		"bytes of resident size": {v.resident, after.resident, moreResident},
	} {
		if n[1] > n[0]+n[2] {
			grown = append(grown, fmt.Sprintf("%d %s, before %d", n[1], what, n[0]))
		}
	}
	return grown
}
