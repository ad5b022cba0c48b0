package shared

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

// Process is one of those that write, and what it could see.
type Process struct {
	Version   string
	Source    op.Source
	Profile   store.Profile
	Coverage  op.Coverage
	NotJudged map[string]string // why, by rule
}

// process is a document of processes. Coverage has the names and the form of the JSON
// reports.
type process struct {
	ID        string        `bson:"_id,omitempty"`
	Version   string        `bson:"version"`
	Source    op.Source     `bson:"source"`
	Profile   store.Profile `bson:"profile"`
	Coverage  string        `bson:"coverage"` // JSON
	NotJudged []notJudged   `bson:"not_judged"`
	Updated   time.Time     `bson:"updated,omitempty"`
}

type notJudged struct {
	Rule string `bson:"rule"`
	Why  string `bson:"why"`
}

// sign says that this process writes, and what it sees.
func (c *Client) sign(ctx context.Context, self Process) error {
	coverage, err := json.Marshal(self.Coverage)
	if err != nil {
		return err
	}
	p := process{Version: self.Version, Source: self.Source, Profile: self.Profile, Coverage: string(coverage), NotJudged: []notJudged{}}
	for _, rule := range slices.Sorted(maps.Keys(self.NotJudged)) {
		p.NotJudged = append(p.NotJudged, notJudged{rule, self.NotJudged[rule]})
	}
	_, err = c.db.Collection(processes).UpdateOne(ctx, bson.D{{Key: "_id", Value: c.id}},
		bson.D{{Key: "$set", Value: p}, {Key: "$currentDate", Value: bson.D{{Key: "updated", Value: true}}}}, options.UpdateOne().SetUpsert(true))
	return err
}

// maxProcesses bounds those that a report adds up: the ones that wrote last.
const maxProcesses = 1000

// Load reads everything there is: the findings of all processes, and what each of these
// could see, the last to write first.
func (c *Client) Load(ctx context.Context) (store.State, []Process, error) {
	state, err := c.read(ctx)
	if err != nil {
		return state, nil, worded(err)
	}
	cursor, err := c.db.Collection(processes).Find(ctx, bson.D{}, options.Find().SetSort(bson.D{{Key: "updated", Value: -1}}).SetLimit(maxProcesses))
	if err != nil {
		return state, nil, err
	}
	var documents []process
	if err := cursor.All(ctx, &documents); err != nil {
		return state, nil, err
	}
	var out []Process
	for _, d := range documents {
		p := Process{Version: d.Version, Source: d.Source, Profile: d.Profile, NotJudged: map[string]string{}}
		if err := json.Unmarshal([]byte(d.Coverage), &p.Coverage); err != nil {
			return state, nil, fmt.Errorf("process %s: its coverage cannot be read: %w", d.ID, err)
		}
		for _, n := range d.NotJudged {
			p.NotJudged[n.Rule] = n.Why
		}
		out = append(out, p)
	}
	return state, out, nil
}
