package analyzers

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/internal/op"
)

// typeKind is a type as a confusion of types sees it: texts are told apart by
// what they look like, numbers of all widths are one.
type typeKind uint8

const (
	kindNone typeKind = iota // null, documents, arrays and all that is not confused
	kindID
	kindIDText
	kindNumber
	kindNumberText
	kindDate
	kindDateText
	kindText // any other string
	kinds
)

// kindPairs are the three confusions: a typed form and the text of it.
var kindPairs = [][2]typeKind{{kindID, kindIDText}, {kindNumber, kindNumberText}, {kindDate, kindDateText}}

// others are the kinds that each is confused with; kindNone for none.
var others = [kinds]typeKind{
	kindID: kindIDText, kindIDText: kindID, kindNumber: kindNumberText, kindNumberText: kindNumber, kindDate: kindDateText, kindDateText: kindDate,
}

func (k typeKind) other() typeKind { return others[k] }

func (k typeKind) text() bool {
	return k == kindIDText || k == kindNumberText || k == kindDateText || k == kindText
}

var kindWords = [kinds]struct{ label, short, long string }{
	kindID:         {"objectid", "ObjectId", "an ObjectId"},
	kindIDText:     {"hex_string", "<hex string>", "a string of 24 hexadecimal digits"},
	kindNumber:     {"number", "<number>", "a number"},
	kindNumberText: {"numeric_string", "<numeric string>", "a string that holds a number"},
	kindDate:       {"date", "<date>", "a date"},
	kindDateText:   {"date_string", "<date string>", "a string that holds a date"},
}

func (k typeKind) label() string  { return kindWords[k].label }
func (k typeKind) String() string { return kindWords[k].short }
func (k typeKind) words() string  { return kindWords[k].long }

// kindOf reads the kind of a value. It looks at the first bytes of a string only
// as far as the three forms go.
func kindOf(v bsoncore.Value) typeKind {
	switch v.Type {
	case bsoncore.TypeObjectID:
		return kindID
	case bsoncore.TypeInt32, bsoncore.TypeInt64, bsoncore.TypeDouble, bsoncore.TypeDecimal128:
		return kindNumber
	case bsoncore.TypeDateTime:
		return kindDate
	case bsoncore.TypeString:
		switch s := op.Str(v); {
		case hexID(s):
			return kindIDText
		case numeric(s):
			return kindNumberText
		case isoDate(s):
			return kindDateText
		}
		return kindText
	}
	return kindNone
}

// anyValue reports whether a field is named for what holds numbers, dates and
// texts by design: the value of a key and value pair, what an event carries, a
// value before and after a change.
func anyValue(path string) bool {
	for name := range strings.SplitSeq(strings.ToLower(path), ".") {
		switch name {
		case "data", "payload", "content", "meta", "metadata", "args", "params", "before", "after", "old", "new":
			return true
		}
	}
	name := strings.ToLower(last(path))
	return name == "v" || name == "val" || name == "values" || name == "answer" || name == "setting" || name == "default" || strings.HasSuffix(name, "value")
}

func hexID(s string) bool {
	if len(s) != 24 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}

// maxNumeric is longer than any number that somebody writes out.
const maxNumeric = 20

// numeric reports whether s is a decimal number.
func numeric(s string) bool {
	if s == "" || len(s) > maxNumeric {
		return false
	}
	digits, points := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && digits > 0:
			points++
		case c == '-' && i == 0:
		default:
			return false
		}
	}
	return digits > 0 && points <= 1 && s[len(s)-1] != '.'
}

// isoDate reports whether s begins with a date as ISO 8601 writes it.
func isoDate(s string) bool {
	if len(s) < 10 || len(s) > 35 || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i := range 10 {
		if c := s[i]; i != 4 && i != 7 && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
