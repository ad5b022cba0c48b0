package op

import "go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

// Traits say which operators a request has anywhere in it: one cheap walk that
// spares rules most of their calls. They say too much rather than too little: a
// field called "$group" counts as the stage.
type Traits uint32

// The traits.
const (
	TraitRegex     Traits = 1 << iota // a regular expression, $regex, $regexMatch and the like
	TraitNegation                     // $ne, $nin, $not, $nor, $exists, null
	TraitComputed                     // $expr, $where, $function, $accumulator, $mod, $size; mapReduce
	TraitList                         // $in, $nin, $all, $or
	TraitSkip                         // skip, $skip
	TraitGroup                        // $group, $bucket, $bucketAuto, $sortByCount, $count, $facet
	TraitJoin                         // $lookup
	TraitGraph                        // $graphLookup
	TraitAppend                       // $push, $pushAll, $addToSet, $concatArrays, $setUnion, $reduce
	TraitMulti                        // an update of many, a delete without a limit
	TraitCollation                    // a collation
	TraitUnwind                       // $unwind

	allTraits = 1<<iota - 1
)

// TraitEncrypted says that a value is encrypted by the client (CSFLE, Queryable
// Encryption): no rule can look into it. Of documents that are inserted the first
// one is looked at. It is not among the traits of a request with too many fields.
const TraitEncrypted Traits = 1 << 30

// encrypted is the BSON subtype of such values.
const encrypted = 6

// maxTraitFields is how many fields are looked at; a request with more has every
// trait.
const maxTraitFields = 4096

// Traits are found at first use.
func (o *Operation) Traits() Traits {
	if o.traits == 0 {
		w := traitWalker{left: maxTraitFields, traits: traitsKnown}
		w.command(o)
		o.traits = w.traits
	}
	return o.traits &^ traitsKnown
}

// traitsKnown marks traits that were looked for, even if there are none.
const traitsKnown Traits = 1 << 31

type traitWalker struct {
	traits Traits
	left   int
}

func (w *traitWalker) command(o *Operation) {
	if o.Command == "mapReduce" {
		w.traits |= TraitComputed
	}
	for key, v := range Fields(o.Body) {
		switch key {
		case "documents":
			if arr := Arr(v); arr != nil {
				for first := range Items(arr) {
					w.inserted(Doc(first))
					break
				}
			}
			continue
		case "lsid", "$clusterTime", "$db", "comment":
			continue // not the application's
		case "skip":
			w.traits |= TraitSkip
		}
		w.value(key, v)
	}
	for i := range o.Seqs {
		if o.Seqs[i].Name == "documents" {
			if len(o.Seqs[i].Docs) > 0 {
				w.inserted(o.Seqs[i].Docs[0])
			}
			continue
		}
		for _, d := range o.Seqs[i].Docs {
			w.document(d)
		}
	}
}

// inserted looks at a document that is stored: its fields are no operators.
func (w *traitWalker) inserted(doc bsoncore.Document) {
	for _, v := range Fields(doc) {
		if w.left--; w.left < 0 {
			return
		}
		switch v.Type {
		case bsoncore.TypeBinary:
			w.binary(v)
		case bsoncore.TypeEmbeddedDocument:
			w.inserted(bsoncore.Document(v.Data))
		}
	}
}

// binary looks at the subtype, behind the length.
func (w *traitWalker) binary(v bsoncore.Value) {
	if len(v.Data) > 4 && v.Data[4] == encrypted {
		w.traits |= TraitEncrypted
	}
}

func (w *traitWalker) document(doc bsoncore.Document) {
	for key, v := range Fields(doc) {
		w.value(key, v)
	}
}

func (w *traitWalker) value(key string, v bsoncore.Value) {
	if w.left--; w.left < 0 {
		w.traits |= allTraits
		return
	}
	if key != "" && (key[0] == '$' || key == "multi" || key == "limit" || key == "collation") {
		w.traits |= traitOf(key, v)
	}
	switch v.Type {
	case bsoncore.TypeRegex:
		w.traits |= TraitRegex
	case bsoncore.TypeNull:
		w.traits |= TraitNegation
	case bsoncore.TypeBinary:
		w.binary(v)
	case bsoncore.TypeEmbeddedDocument, bsoncore.TypeArray:
		w.document(bsoncore.Document(v.Data))
	}
}

func traitOf(key string, v bsoncore.Value) Traits {
	switch key {
	case "$regex", "$regexMatch", "$regexFind", "$regexFindAll":
		return TraitRegex
	case "$ne", "$not", "$nor", "$exists":
		return TraitNegation
	case "$nin":
		return TraitNegation | TraitList
	case "$in", "$all", "$or":
		return TraitList
	case "$expr", "$where", "$function", "$accumulator", "$mod", "$size":
		return TraitComputed
	case "$skip":
		return TraitSkip
	case "$group", "$bucket", "$bucketAuto", "$sortByCount", "$count", "$facet":
		return TraitGroup
	case "$lookup":
		return TraitJoin
	case "$graphLookup":
		return TraitGraph
	case "$push", "$pushAll", "$addToSet", "$concatArrays", "$setUnion", "$reduce":
		return TraitAppend
	case "$unwind":
		return TraitUnwind
	case "collation":
		return TraitCollation
	case "multi":
		if True(v) {
			return TraitMulti
		}
	case "limit":
		if !True(v) {
			return TraitMulti
		}
	}
	return 0
}
