package main

import (
	"reflect"
	"slices"
	"strings"
)

// reloadable are the keys, and those below them, that a reload changes. All others are
// read once: listeners, memory and files are made of them.
var reloadable = []string{"profile", "rules", "limit", "ignore", "bounded", "fixed-after", "remind", "baseline", "alert", "log.level"}

func canReload(key string) bool {
	return slices.ContainsFunc(reloadable, func(r string) bool { return key == r || strings.HasPrefix(key, r+".") })
}

// takeOver is c with what a reload may change taken from next. It names the keys that
// changed, and those that differ and keep their old value until a restart.
func (c *config) takeOver(next *config) (merged *config, changed, kept []string) {
	copied := *c
	merged = &copied
	eachKey("", reflect.ValueOf(merged).Elem(), reflect.ValueOf(next).Elem(), func(key string, have, want reflect.Value) {
		switch {
		case sameValue(have, want):
		case canReload(key):
			have.Set(want)
			changed = append(changed, key)
		default:
			kept = append(kept, key)
		}
	})
	return merged, changed, kept
}

// eachKey visits the keys of two configurations beside each other, in their order.
func eachKey(prefix string, a, b reflect.Value, visit func(key string, a, b reflect.Value)) {
	for i := range a.NumField() {
		name, inline, _ := strings.Cut(a.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case inline == "inline":
			eachKey(prefix, a.Field(i), b.Field(i), visit)
		case name == "": // no key
		case a.Field(i).Kind() == reflect.Struct:
			eachKey(prefix+name+".", a.Field(i), b.Field(i), visit)
		default:
			visit(prefix+name, a.Field(i), b.Field(i))
		}
	}
}

// sameValue takes an empty list for none.
func sameValue(a, b reflect.Value) bool {
	if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}
