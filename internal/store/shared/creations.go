package shared

import (
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"mongoadvisor/internal/store"
)

// upsert makes a document unless it is there.
func upsert(id string, document any) mongo.WriteModel {
	return mongo.NewUpdateOneModel().SetFilter(bson.D{{Key: "_id", Value: id}}).SetUpsert(true).
		SetUpdate(bson.D{{Key: "$setOnInsert", Value: document}})
}

// creations make what a change adds to: the document, and an element for each
// application. They may be repeated.
func creations(c *store.Change, again bool) []mongo.WriteModel {
	var out []mongo.WriteModel
	if c.New || again {
		out = append(out, upsert(c.Fingerprint, created(&c.Saved)))
	}
	for _, app := range c.Apps {
		if (app.New || again) && app.App != store.OtherClients {
			out = append(out, addApp(c.Fingerprint, app.App, app.Driver))
		}
	}
	return out
}

// addApp gives an application its element, unless it has one. The list keeps those
// that caused the most.
func addApp(id, app, driver string) mongo.WriteModel {
	same := bson.D{{Key: "app", Value: app}, {Key: "driver", Value: driver}}
	return mongo.NewUpdateOneModel().
		SetFilter(bson.D{{Key: "_id", Value: id}, {Key: "clients", Value: bson.D{{Key: "$not", Value: bson.D{{Key: "$elemMatch", Value: same}}}}}}).
		SetUpdate(bson.D{{Key: "$push", Value: bson.D{{Key: "clients", Value: bson.D{
			{Key: "$each", Value: bson.A{store.Client{App: app, Driver: driver}}},
			{Key: "$sort", Value: bson.D{{Key: "count", Value: -1}}},
			{Key: "$slice", Value: store.MaxClients},
		}}}}})
}
