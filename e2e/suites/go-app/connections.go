package main

import (
	"context"
	"errors"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func connections() []test {
	return []test{
		{name: "connection/wrong password", login: true, run: func(a *app) error {
			o := options.Client().ApplyURI(a.uri)
			o.Auth.Password = "wrong"
			c, err := mongo.Connect(o)
			if err != nil {
				return err
			}
			defer func() { _ = c.Disconnect(context.WithoutCancel(a)) }()
			err = c.Ping(a, nil)
			return want("refused", err != nil && strings.Contains(err.Error(), "AuthenticationFailed"), true)
		}},
		{name: "connection/who we are", run: func(a *app) error {
			var status struct {
				AuthInfo struct {
					AuthenticatedUsers []struct{ User string }
				}
			}
			if err := a.client.Database("admin").RunCommand(a, d("connectionStatus", 1)).Decode(&status); err != nil {
				return err
			}
			users := 0
			if o := options.Client().ApplyURI(a.uri); o.Auth != nil {
				users = 1
			}
			return want("users", len(status.AuthInfo.AuthenticatedUsers), users)
		}},
		{name: "connection/the server knows application and driver", run: func(a *app) error {
			cursor, err := a.client.Database("admin").Aggregate(a, mongo.Pipeline{
				d("$currentOp", bson.D{{Key: "idleConnections", Value: true}}),
				d("$match", bson.D{{Key: "appName", Value: "go-app"}, {Key: "clientMetadata.driver.name", Value: "mongo-go-driver"}}),
			})
			if err != nil {
				return err
			}
			var got []bson.Raw
			err = cursor.All(a, &got)
			return errors.Join(err, want("found", len(got) > 0, true))
		}},
		{name: "connection/100 clients come and go", run: func(a *app) error {
			for range 100 {
				c, err := a.second()
				if err != nil {
					return err
				}
				if err := errors.Join(c.Ping(a, nil), c.Disconnect(a)); err != nil {
					return err
				}
			}
			return nil
		}},
		{name: "connection/each compressor", run: func(a *app) error {
			for _, name := range []string{"snappy", "zlib", "zstd"} {
				c, err := a.second(options.Client().SetCompressors([]string{name}))
				if err != nil {
					return err
				}
				things := c.Database(a.db.Name()).Collection(name)
				before, err1 := a.unpacked(name)
				_, err2 := things.InsertMany(a, numbered(0, 5000))
				n, err3 := things.CountDocuments(a, bson.D{})
				after, err4 := a.unpacked(name)
				if err := errors.Join(err1, err2, err3, err4, want(name, n, 5000), want("used", after-before > 5000*20, true), c.Disconnect(a)); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

// unpacked is how many bytes the server has taken out of a compression so far.
func (a *app) unpacked(name string) (int64, error) {
	status, err := a.client.Database("admin").RunCommand(a, d("serverStatus", 1)).Raw()
	if err != nil {
		return 0, err
	}
	n, _ := status.Lookup("network", "compression", name, "decompressor", "bytesOut").AsInt64OK()
	return n, nil
}
