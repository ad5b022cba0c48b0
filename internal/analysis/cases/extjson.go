package cases

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// unescape turns keys that begin with "$$" into ones with "$": Extended JSON
// has meanings of its own for {"$regex": …, "$options": …} and {"$date": …}.
func unescape(v any) any {
	switch v := v.(type) {
	case bson.D:
		out := make(bson.D, len(v))
		for i, e := range v {
			key := e.Key
			if strings.HasPrefix(key, "$$") {
				key = key[1:]
			}
			out[i] = bson.E{Key: key, Value: unescape(e.Value)}
		}
		return out
	case bson.A:
		out := make(bson.A, len(v))
		for i, e := range v {
			out[i] = unescape(e)
		}
		return out
	}
	return v
}

// strict decodes JSON and refuses unknown keys.
func strict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
