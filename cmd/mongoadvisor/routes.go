package main

import (
	"encoding/json"
	"reflect"

	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/store"
)

// routes are the sinks that are configured beside the log. One that runs with the same
// configuration is not opened again.
func (c *config) routes(findings func() []store.Entry, runs func(key string) bool) ([]sink.Route, error) {
	alerts, err := c.alerts(findings)
	if err != nil {
		return nil, err
	}
	const file = "file"
	var out []sink.Route
	switch key := c.sinkKey(file); {
	case c.Alert.File == "":
	case runs(key):
		out = append(out, sink.Route{Key: key})
	default:
		opened, err := c.alertFile()
		if err != nil {
			return nil, err
		}
		alerts = append(alerts, opened...)
	}
	for _, x := range alerts {
		out = append(out, sink.Route{Key: c.sinkKey(x.sink.Name()), Sink: x.sink, Options: x.options})
	}
	return out, nil
}

// sinkKey is everything that is configured of a sink: the keys below alert that bear its
// name, and those that all sinks share.
func (c *config) sinkKey(name string) string {
	own := map[string]any{}
	v := reflect.ValueOf(c.Alert)
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("yaml")
		_, ofOne := sinkNames[key]
		if key == name || !ofOne {
			own[key] = v.Field(i).Interface()
		}
	}
	text, err := json.Marshal(own) // in the order of the keys
	if err != nil {
		return "" // of texts, numbers and lists: it has none
	}
	return name + " " + string(text)
}

// sinkNames are the keys below alert that one sink has for itself.
var sinkNames = map[string]struct{}{"webhook": {}, "slack": {}, "alertmanager": {}, "file": {}}
