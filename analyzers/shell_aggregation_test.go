package analyzers_test

import "go.mongodb.org/mongo-driver/v2/bson"

// updateOneCall and findOneCall are what these methods send.
func updateOneCall(coll string, q, u any, options bson.D) bson.D {
	statement := append(bson.D{{Key: "q", Value: q}, {Key: "u", Value: u}}, options...)
	return bson.D{{Key: "update", Value: coll}, {Key: "updates", Value: bson.A{statement}}}
}

func findOneCall(coll string, filter bson.D) bson.D {
	return bson.D{{Key: "find", Value: coll}, {Key: "filter", Value: filter}, {Key: "limit", Value: 1}, {Key: "singleBatch", Value: true}}
}
