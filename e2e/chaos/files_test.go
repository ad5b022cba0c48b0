package chaos

import (
	"bytes"
	"context"
	"math/rand/v2"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// fileSize is of some GridFS chunks of 255 KiB, and a rest.
const fileSize = 1_500_001

// files puts files into GridFS and takes them out again. What was acknowledged
// comes out as it went in, at once and at the end.
func files(db string) *app {
	type file struct {
		id   bson.ObjectID
		seed byte
	}
	var last []file // the last few that were acknowledged
	return &app{
		name: "files", pause: 5 * seldom,
		step: func(a *app, ctx context.Context) error {
			bucket := a.client.Database(db).GridFSBucket()
			seed := byte(a.n)
			id, err := bucket.UploadFromStream(ctx, "file", bytes.NewReader(noise(seed)))
			if err != nil {
				return err
			}
			last = append(last, file{id, seed})
			var got bytes.Buffer
			if _, err := bucket.DownloadToStream(ctx, id, &got); err != nil {
				return err
			}
			if !bytes.Equal(got.Bytes(), noise(seed)) {
				a.t.Errorf("files: step %d: %d other bytes came out than the %d that went in", a.n, got.Len(), fileSize)
			}
			if len(last) > 5 {
				err = bucket.Delete(ctx, last[0].id)
				last = last[1:]
			}
			return err
		},
		verify: func(a *app, ctx context.Context) {
			for _, f := range last {
				var got bytes.Buffer
				if _, err := a.direct.Database(db).GridFSBucket().DownloadToStream(ctx, f.id, &got); err != nil || !bytes.Equal(got.Bytes(), noise(f.seed)) {
					a.t.Errorf("files: of an acknowledged file %d bytes are stored, %v", got.Len(), err)
				}
			}
		},
	}
}

func noise(seed byte) []byte {
	b := make([]byte, fileSize)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}
