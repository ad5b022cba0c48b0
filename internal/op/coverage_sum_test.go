package op

import (
	"reflect"
	"testing"
)

// fill sets every number to n, every flag to true, and makes what is nil, so that a field
// that Plus forgets is found.
func fill(v reflect.Value, n int64) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Int64:
		v.SetInt(n)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("same")
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]int64{"same": n}))
	case reflect.Slice:
		v.Set(reflect.ValueOf([]AppCoverage{{"same", n}}))
	}
}

func TestCoveragesAddUp(t *testing.T) {
	var one, two, want Coverage
	fill(reflect.ValueOf(&one).Elem(), 1)
	fill(reflect.ValueOf(&two).Elem(), 2)
	fill(reflect.ValueOf(&want).Elem(), 3)
	if got := one.Plus(two); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := (Coverage{Ratio: 1}).Plus(one); got.Ratio != 0.5 || !reflect.DeepEqual(got.Packets, one.Packets) || !reflect.DeepEqual(got.Records, one.Records) {
		t.Errorf("with one that has seen nothing: %+v", got)
	}
	if got := (Coverage{}).Plus(Coverage{}); got.Ratio != 1 || got.Undecoded != nil {
		t.Errorf("of nothing: %+v", got)
	}
	if got := (Coverage{Messages: 300, Ratio: 1}).Plus(Coverage{Messages: 100, Ratio: 0.6}); got.Ratio != 0.9 {
		t.Errorf("300 at 1 and 100 at 0.6: %v", got.Ratio)
	}
}
