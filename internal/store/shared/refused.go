package shared

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// refusals are the codes of errors that a statement meets in a document that somebody
// has damaged, each time anew: BadValue, FailedToParse, TypeMismatch, PathNotViable.
var refusals = []int{2, 9, 14, 28}

// send carries statements out, and counts the documents they found. Those that the
// server refuses for what is in their document are given up, and counted as well: one
// broken document is not to keep all others from being written.
func (c *Client) send(ctx context.Context, name string, statements []mongo.WriteModel, ordered bool) (matched int64, err error) {
	for len(statements) > 0 {
		r, err := c.db.Collection(name).BulkWrite(ctx, statements, options.BulkWrite().SetOrdered(ordered))
		if r != nil {
			matched += r.MatchedCount
		}
		if err == nil {
			return matched, nil
		}
		refused, last := refusedBy(err)
		if refused == 0 {
			return matched, err
		}
		matched += int64(refused)
		if !ordered {
			return matched, nil
		}
		statements = statements[last+1:]
	}
	return matched, nil
}

// refusedBy is how many statements were refused, and the index of the last one; 0 when
// anything else went wrong.
func refusedBy(err error) (n, last int) {
	var bulk mongo.BulkWriteException
	if !errors.As(err, &bulk) || bulk.WriteConcernError != nil {
		return 0, 0
	}
	for _, e := range bulk.WriteErrors {
		if !slices.Contains(refusals, e.Code) {
			return 0, 0
		}
		last = max(last, e.Index)
	}
	return len(bulk.WriteErrors), last
}
