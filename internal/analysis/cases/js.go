package cases

import (
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

var bare = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// maxShown is how many elements of an array a page shows; of a longer one, which
// would fill it, the first few and the length.
const maxShown = 20

// JS writes a value as mongosh would take it, but for long arrays. For pages and
// tests: it shows literals.
func JS(v bsoncore.Value) string {
	switch v.Type {
	case bsoncore.TypeEmbeddedDocument:
		var parts []string
		for k, item := range op.Fields(op.Doc(v)) {
			if !bare.MatchString(k) {
				k = strconv.Quote(k)
			}
			parts = append(parts, k+": "+JS(item))
		}
		if len(parts) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case bsoncore.TypeArray:
		var parts []string
		for item := range op.Items(op.Arr(v)) {
			parts = append(parts, JS(item))
		}
		if n := len(parts); n > maxShown {
			parts = append(parts[:3], fmt.Sprintf("… %d values", n))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case bsoncore.TypeString:
		return strconv.Quote(op.Str(v))
	case bsoncore.TypeRegex:
		pattern, options := v.Regex()
		return "/" + strings.ReplaceAll(pattern, "/", `\/`) + "/" + options
	case bsoncore.TypeObjectID:
		id := v.ObjectID()
		return `ObjectId("` + hex.EncodeToString(id[:]) + `")`
	case bsoncore.TypeDateTime:
		return `ISODate("` + v.Time().UTC().Format(time.RFC3339) + `")`
	case bsoncore.TypeBoolean:
		return strconv.FormatBool(v.Boolean())
	case bsoncore.TypeNull:
		return "null"
	}
	if n, ok := v.AsInt64OK(); ok && v.Type != bsoncore.TypeDouble {
		return strconv.FormatInt(n, 10)
	}
	if f, ok := v.AsFloat64OK(); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprintf("<%s>", v.Type)
}

// hidden are the parts of a command that say nothing about its shape.
var hidden = map[string]bool{"$db": true, "cursor": true, "lsid": true, "txnNumber": true}

// Call writes a step's command as a mongosh line, with its database.
func (s Step) Call() string {
	var parts []string
	for k, v := range op.Fields(s.Command) {
		if hidden[k] {
			continue
		}
		if !bare.MatchString(k) {
			k = strconv.Quote(k)
		}
		parts = append(parts, k+": "+JS(v))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Sequences)) {
		var list []string
		for _, d := range s.Sequences[name] {
			list = append(list, JS(bsoncore.Value{Type: bsoncore.TypeEmbeddedDocument, Data: d}))
		}
		parts = append(parts, name+": ["+strings.Join(list, ", ")+"]")
	}
	line := "db.runCommand({ " + strings.Join(parts, ", ") + " })"
	if n := max(s.Repeat, s.Of); n > 1 {
		line += fmt.Sprintf("   // %d times", n)
	}
	return line
}
