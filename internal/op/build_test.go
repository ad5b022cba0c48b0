package op

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// d makes an ordered document of keys and values.
func d(pairs ...any) bson.D {
	out := bson.D{}
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, bson.E{Key: pairs[i].(string), Value: pairs[i+1]})
	}
	return out
}

func doc(x bson.D) bsoncore.Document {
	b, err := bson.Marshal(x)
	if err != nil {
		panic(err)
	}
	return b
}

func value(x any) bsoncore.Value {
	t, b, err := bson.MarshalValue(x)
	if err != nil {
		panic(err)
	}
	return bsoncore.Value{Type: bsoncore.Type(t), Data: b}
}

// command is an operation as a session would emit it.
func command(x bson.D, seqs ...Sequence) *Operation {
	body := doc(x)
	o := &Operation{Body: body, Seqs: seqs}
	sent := FirstKey(body)
	o.Command, o.Kind = Command(sent)
	o.NS = Namespace{DB: "shop", Coll: Str(Get(body, sent))}
	return o
}

func findOp(filter any) *Operation { return command(d("find", "c", "filter", filter)) }

func shapeOf(filter any) Shape { return findOp(filter).Shape() }

func re(pattern, options string) bson.Regex { return bson.Regex{Pattern: pattern, Options: options} }

// texts are the shapes of all statements.
func texts(t testing.TB, o *Operation) []string {
	t.Helper()
	var out []string
	for i := range o.Statements() {
		out = append(out, o.Statements()[i].Shape().Text)
	}
	return out
}
