package analyzers

import (
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

// catalogues are the names of the collections of each database, as far as the
// traffic told.
type catalogues struct {
	young, old map[string]*nameCatalogue // as in generations
	names      int                       // in the young ones
	stretch    stretch
}

// The bounds: what is full ages at once. A database is not followed beyond
// maxNames collections, which is far above the highest limit.
const (
	maxDatabases = 256
	maxAllNames  = 60_000
	maxNames     = 20_000
)

// nameCatalogue is one database.
type nameCatalogue struct {
	names    map[uint64]knownName // by hash of the collection's name
	families map[uint64]*nameFamily
	created  [maxGrowthDays + 1]createdOn // ring, by day
	// listed says that a listCollections told of all that were there: what is not
	// among the names was made later.
	listed bool

	countTold, growthTold oncePerSecond
}

type knownName struct {
	family *nameFamily // nil for a name without a slot
	day    int64       // when its creation was seen, 0 for not
}

// nameFamily are the collections whose names have one template.
type nameFamily struct {
	names   int
	counted bool // all of them are, see nameTemplate
	told    oncePerSecond
}

// maxGrowthDays is how many days of creations are remembered.
const maxGrowthDays = 7

type createdOn struct{ day, n int64 }

// oncePerSecond paces reports by the traffic's clock.
type oncePerSecond struct{ last time.Time }

func (o *oncePerSecond) due(now time.Time) bool {
	if !o.last.IsZero() && now.Sub(o.last) < time.Second {
		return false
	}
	o.last = now
	return true
}

func newCatalogues() *catalogues { return &catalogues{young: map[string]*nameCatalogue{}} }

// known is what is known of a database, or nil.
func (c *catalogues) known(db string) *nameCatalogue {
	if x, ok := c.young[db]; ok {
		return x
	}
	return c.old[db]
}

func (c *catalogues) forget(db string) {
	if x, ok := c.young[db]; ok {
		c.names -= len(x.names)
	}
	delete(c.young, db)
	delete(c.old, db)
}

// at is what is known of a database, made when new.
func (c *catalogues) at(db string) *nameCatalogue {
	if x, ok := c.young[db]; ok {
		return x
	}
	x, ok := c.old[db]
	if !ok {
		x = &nameCatalogue{names: map[uint64]knownName{}, families: map[uint64]*nameFamily{}}
	}
	if len(c.young) >= maxDatabases || c.names+len(x.names) >= maxAllNames {
		c.old, c.young, c.names = c.young, map[string]*nameCatalogue{}, 0
	}
	delete(c.old, db)
	c.young[strings.Clone(db)] = x // it aliases a message
	c.names += len(x.names)
	return x
}

// add takes a collection in, which may have been there all along. It returns nil
// for a name that does not count.
func (c *catalogues) add(ns op.Namespace) *nameCatalogue {
	if ns.Coll == "" || ns.Internal() {
		return nil
	}
	db := c.at(ns.DB)
	key := op.HashString(ns.Coll)
	if _, ok := db.names[key]; ok || len(db.names) >= maxNames || passing(ns.Coll) {
		return db
	}
	name := knownName{}
	if t, family, ok := templated(ns.Coll); ok {
		if name.family = db.families[family]; name.family == nil {
			name.family = &nameFamily{counted: true}
			db.families[family] = name.family
		}
		name.family.names++
		name.family.counted = name.family.counted && t.counted
	}
	db.names[key] = name
	c.names++
	return db
}

// list takes in what a listCollections says.
func (c *catalogues) list(o *op.Operation) {
	for _, d := range o.Reply.Docs {
		if op.Str(op.Get(d, "type")) != "view" {
			c.add(op.Namespace{DB: o.NS.DB, Coll: op.Str(op.Get(d, "name"))})
		}
	}
	whole := o.Reply.Seen && o.Reply.CursorID == 0 && o.Reply.Returned == len(o.Reply.Docs) && op.Len(op.Get(o.Body, "filter")) == 0
	if whole && !(op.Namespace{DB: o.NS.DB, Coll: "x"}).Internal() {
		c.at(o.NS.DB).listed = true
	}
}

// interrupt takes back that all collections are known: others may have been made.
func (c *catalogues) interrupt() {
	for _, half := range []map[string]*nameCatalogue{c.young, c.old} {
		for _, db := range half {
			db.listed = false
		}
	}
}

// fresh reports whether an insert into a collection makes it.
func (c *catalogues) fresh(ns op.Namespace) bool {
	db := c.known(ns.DB)
	if db == nil || !db.listed {
		return false
	}
	_, known := db.names[op.HashString(ns.Coll)]
	return !known
}

// create takes in a collection that was just made. Those with a template grow
// with it, and are not counted as growth of their own.
func (c *catalogues) create(ns op.Namespace, now time.Time) {
	db := c.add(ns)
	if db == nil {
		return
	}
	key := op.HashString(ns.Coll)
	name, ok := db.names[key]
	if !ok || name.family != nil || name.day != 0 {
		return
	}
	name.day = dayOf(now)
	db.names[key] = name
	slot := db.createdOn(name.day)
	if slot.day != name.day {
		*slot = createdOn{day: name.day}
	}
	slot.n++
}

// drop takes a collection out, and back what its creation counted.
func (c *catalogues) drop(ns op.Namespace) {
	db := c.known(ns.DB)
	if db == nil {
		return
	}
	key := op.HashString(ns.Coll)
	name, ok := db.names[key]
	if !ok {
		return
	}
	if name.family != nil {
		if name.family.names--; name.family.names == 0 {
			_, family, _ := templated(ns.Coll)
			delete(db.families, family)
		}
	}
	if slot := db.createdOn(name.day); name.day != 0 && slot.day == name.day {
		slot.n--
	}
	delete(db.names, key)
	if _, young := c.young[ns.DB]; young {
		c.names--
	}
}

// family is that of a collection, or nil.
func (n *nameCatalogue) family(coll string) *nameFamily {
	if len(n.families) == 0 {
		return nil
	}
	return n.names[op.HashString(coll)].family
}

// single counts the collections with each family that is reported as one.
func (n *nameCatalogue) single(p *analysis.Pass) int64 {
	count := int64(len(n.names))
	for _, f := range n.families {
		if int64(f.names) >= f.limit(p) {
			count -= int64(f.names) - 1
		}
	}
	return count
}

// limit is from how many names on a family is reported.
func (f *nameFamily) limit(p *analysis.Pass) int64 {
	if f.counted {
		return p.Limit("counted-names")
	}
	return p.Limit("templated-names")
}

// steady is the least number of collections created on one of the last days,
// today included; 0 when one is missing.
func (n *nameCatalogue) steady(now time.Time, days int) int64 {
	least, today := int64(0), dayOf(now)
	for d := range int64(min(max(days, 1), maxGrowthDays)) {
		slot := n.createdOn(today - d)
		if slot.day != today-d || slot.n <= 0 {
			return 0
		}
		if least == 0 || slot.n < least {
			least = slot.n
		}
	}
	return least
}

// createdOn is the slot of a day in the ring. Captures with times of their own
// begin at the epoch: days before it are days, too.
func (n *nameCatalogue) createdOn(day int64) *createdOn {
	days := int64(len(n.created))
	return &n.created[(day%days+days)%days]
}

// dayOf is the day of a time in UTC.
func dayOf(at time.Time) int64 { return at.Unix() / (24 * 60 * 60) }
