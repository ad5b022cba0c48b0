package op

import "go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

// View is the definition of a view.
type View struct {
	Name     string // its collection name
	On       string // the collection or view it stands on
	Pipeline []bsoncore.Document
}

// Through makes the statements of a read those of the collection that a view
// stands on, as the server does: the view's pipeline first, then what the client
// sent. It is for the one goroutine that judges, before the rules see them.
func (o *Operation) Through(v View) {
	o.traits = allTraits | traitsKnown // those of the view's pipeline are not looked for
	statements := o.Statements()
	for i := range statements {
		s := &statements[i]
		if s.View == "" {
			s.View = v.Name
		}
		s.NS.Coll = v.On
		o.stored = s.NS
		s.shape, s.shapeID = Shape{}, 0
		rest := s.Pipeline
		if s.Filter != nil && !plainView(v.Pipeline) {
			match := bsoncore.AppendDocumentElement(nil, "$match", s.Filter)
			rest = append([]bsoncore.Document{bsoncore.BuildDocument(nil, match)}, rest...)
			s.Filter = nil
		}
		s.Pipeline = append(v.Pipeline[:len(v.Pipeline):len(v.Pipeline)], rest...)
	}
}

// plainView reports whether a view only filters and shapes documents, so that
// the server applies a filter on it to the stored ones.
func plainView(pipeline []bsoncore.Document) bool {
	for _, d := range pipeline {
		switch FirstKey(d) {
		case "$match", "$sort", "$project", "$unset":
		default:
			return false
		}
	}
	return true
}
