package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// sourceField is a field that may say what an event comes from.
type sourceField struct {
	name      string
	count     int64
	values    map[uint64]struct{} // the first so many
	late, hit int64               // values after these, and how many were among them
	reads     int64               // queries for one of its values and a span of time
}

// sample looks at the values of one event.
func (x *eventStream) sample(doc bsoncore.Document) {
	for k, v := range op.Fields(doc) {
		if k != "_id" && origin(k, v) {
			x.field(k).add(op.Hash(v))
		}
	}
}

// field is what is known of one field. Beyond the bound it is counted nowhere.
func (x *eventStream) field(name string) *sourceField {
	for i := range x.fields {
		if x.fields[i].name == name {
			return &x.fields[i]
		}
	}
	if len(x.fields) >= maxSourceFields {
		return &sourceField{}
	}
	x.fields = append(x.fields, sourceField{name: strings.Clone(name)})
	return &x.fields[len(x.fields)-1]
}

func (f *sourceField) add(hash uint64) {
	f.count++
	if _, known := f.values[hash]; known || len(f.values) >= maxSourceValues {
		if len(f.values) >= maxSourceValues {
			f.late++
			if known {
				f.hit++
			}
		}
		return
	}
	if f.values == nil {
		f.values = map[uint64]struct{}{}
	}
	f.values[hash] = struct{}{}
}

// repeats reports whether values come back, so many documents for each. With
// more values than are kept, a twentieth of what comes later is among them, as
// with about a thousand sources in turn.
func (f *sourceField) repeats(often int64) bool {
	if len(f.values) < maxSourceValues {
		return f.count >= often*int64(len(f.values)) && f.count > 0
	}
	return f.late >= often && f.hit*20 >= f.late
}

// source is the field that best says what events come from: one that is read by,
// then one that is named like a source, then the one with most values.
func (x *eventStream) source(often int64) (best *sourceField) {
	better := func(f *sourceField) bool {
		switch {
		case best == nil:
			return true
		case (f.reads > 0) != (best.reads > 0):
			return f.reads > 0
		case sourceName(f.name) != sourceName(best.name):
			return sourceName(f.name)
		}
		return len(f.values) > len(best.values)
	}
	for i := range x.fields {
		if f := &x.fields[i]; f.repeats(often) && better(f) {
			best = f
		}
	}
	return best
}

// origin reports whether a value can say where an event comes from: a name or an
// id. Plain numbers are readings, unless their field is named like a source.
func origin(name string, v bsoncore.Value) bool {
	switch v.Type {
	case bsoncore.TypeString:
		return len(v.Data) <= 64
	case bsoncore.TypeObjectID, bsoncore.TypeBinary:
		return true
	case bsoncore.TypeInt32, bsoncore.TypeInt64:
		return sourceName(name)
	}
	return false
}

func sourceName(name string) bool {
	if strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "ID") {
		return true
	}
	switch strings.ToLower(name) {
	case "device", "sensor", "source", "host", "user", "customer", "tenant", "account", "meter", "station", "symbol", "node", "service", "vehicle", "machine":
		return true
	}
	return false
}
