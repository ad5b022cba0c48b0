package main

import (
	"maps"
	"slices"
)

// tries is how often a test with different outcomes runs, each way and the first
// time included, before a difference is believed.
const tries = 4

// seen are all outcomes of a test, in order.
type seen struct {
	ID      string   `json:"id"`
	Direct  []string `json:"direct"`
	Proxied []string `json:"proxied"`
}

// agrees says whether the test gave the same at least once each way: then its
// outcomes vary by themselves. That it was absent counts only where it was so from
// the start: else it should have run again and did not.
func (s seen) agrees() bool {
	varies := s.Direct[0] == absent || s.Proxied[0] == absent
	return slices.ContainsFunc(s.Direct, func(o string) bool {
		return slices.Contains(s.Proxied, o) && (o != absent || varies)
	})
}

// comparison is a cell's tests, told apart.
type comparison struct {
	Same     map[string]int // outcome, and how many tests have it each way
	Unsteady []seen         // differed first, and agreed when they ran again
	Differ   []seen
}

func compare(direct, proxied outcomes) comparison {
	c := comparison{Same: map[string]int{}}
	ids := maps.Clone(direct)
	maps.Copy(ids, proxied)
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		d, p := direct.of(id), proxied.of(id)
		if d == p {
			c.Same[d]++
			continue
		}
		c.Differ = append(c.Differ, seen{id, []string{d}, []string{p}})
	}
	return c
}

// again takes in what a further run of the differing tests gave.
func (c *comparison) again(direct, proxied outcomes) {
	var still []seen
	for _, s := range c.Differ {
		s.Direct, s.Proxied = append(s.Direct, direct.of(s.ID)), append(s.Proxied, proxied.of(s.ID))
		if s.agrees() {
			c.Unsteady = append(c.Unsteady, s)
			continue
		}
		still = append(still, s)
	}
	c.Differ = still
}

func (c *comparison) ids() []string {
	var ids []string
	for _, s := range c.Differ {
		ids = append(ids, s.ID)
	}
	return ids
}

func (o outcomes) of(id string) string {
	if v := o[id]; v != "" {
		return v
	}
	return absent
}
