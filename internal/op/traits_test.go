package op

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// TestTraitEncrypted: values that a client encrypted are seen wherever they stand, and
// no other binary value is taken for one.
func TestTraitEncrypted(t *testing.T) {
	doc := func(subtype byte) bsoncore.Document {
		inner := bsoncore.NewDocumentBuilder().AppendBinary("ssn", subtype, []byte{1, 2, 3}).Build()
		return bsoncore.NewDocumentBuilder().AppendInt32("a", 1).AppendDocument("person", inner).Build()
	}
	for _, subtype := range []byte{0, 4, 6} {
		array := bsoncore.NewArrayBuilder().AppendDocument(doc(subtype)).Build()
		find := &Operation{}
		find.Read(bsoncore.NewDocumentBuilder().AppendString("find", "c").AppendDocument("filter", doc(subtype)).Build(), "db")
		insert := &Operation{}
		insert.Read(bsoncore.NewDocumentBuilder().AppendString("insert", "c").AppendArray("documents", array).Build(), "db")
		sequence := &Operation{Seqs: []Sequence{{Name: "documents", Docs: []bsoncore.Document{doc(subtype)}}}}
		sequence.Read(bsoncore.NewDocumentBuilder().AppendString("insert", "c").Build(), "db")
		for i, o := range []*Operation{find, insert, sequence} {
			if got := o.Traits()&TraitEncrypted != 0; got != (subtype == 6) {
				t.Errorf("operation %d, subtype %d: encrypted %v", i, subtype, got)
			}
		}
	}
}
