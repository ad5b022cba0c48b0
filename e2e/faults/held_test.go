package faults

import (
	"reflect"
	"unsafe"
)

// held is about how many bytes x keeps alive: the same for the same content, which
// the heap's size is not. Channels and functions are not looked into.
func held(x ...any) int64 {
	w := weighing{seen: map[unsafe.Pointer]bool{}}
	for _, v := range x {
		w.add(reflect.ValueOf(v))
	}
	return w.bytes
}

type weighing struct {
	seen  map[unsafe.Pointer]bool
	bytes int64
}

func (w *weighing) add(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && w.first(v.UnsafePointer()) {
			w.bytes += int64(v.Type().Elem().Size())
			w.add(v.Elem())
		}
	case reflect.Interface:
		w.add(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			w.add(v.Field(i))
		}
	case reflect.Array, reflect.Slice:
		if v.Kind() == reflect.Slice {
			if v.IsNil() || !w.first(v.UnsafePointer()) {
				return
			}
			w.bytes += int64(v.Cap()) * int64(v.Type().Elem().Size())
		}
		if plain(v.Type().Elem().Kind()) {
			return
		}
		for i := range v.Len() {
			w.add(v.Index(i))
		}
	case reflect.Map:
		if v.IsNil() || !w.first(v.UnsafePointer()) {
			return
		}
		w.bytes += int64(v.Len()) * int64(v.Type().Key().Size()+v.Type().Elem().Size())
		for it := v.MapRange(); it.Next(); {
			w.add(it.Key())
			w.add(it.Value())
		}
	case reflect.String:
		w.bytes += int64(v.Len())
	default:
	}
}

func (w *weighing) first(p unsafe.Pointer) bool {
	if w.seen[p] {
		return false
	}
	w.seen[p] = true
	return true
}

// plain kinds point at nothing.
func plain(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128
}
