package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func files() []test {
	// 8 MB that compress badly, the same in every run.
	content := make([]byte, 0, 8<<20)
	for sum := sha256.Sum256([]byte("file")); len(content) < 8<<20; sum = sha256.Sum256(sum[:]) {
		content = append(content, sum[:]...)
	}
	return []test{
		{name: "file/up and down", run: func(a *app) error {
			bucket := a.db.GridFSBucket()
			id, err := bucket.UploadFromStream(a, "file", bytes.NewReader(content))
			if err != nil {
				return err
			}
			var got bytes.Buffer
			n, err := bucket.DownloadToStream(a, id, &got)
			return errors.Join(err, want("bytes", n, int64(len(content))), want("equal", bytes.Equal(got.Bytes(), content), true))
		}},
		{name: "file/small chunks, read in the middle", run: func(a *app) error {
			bucket := a.db.GridFSBucket(options.GridFSBucket().SetChunkSizeBytes(1000))
			if _, err := bucket.UploadFromStream(a, "file", bytes.NewReader(content[:100_001])); err != nil {
				return err
			}
			down, err := bucket.OpenDownloadStreamByName(a, "file")
			if err != nil {
				return err
			}
			if _, err := down.Skip(50_000); err != nil {
				return err
			}
			rest, err := io.ReadAll(down)
			return errors.Join(err, down.Close(), want("equal", bytes.Equal(rest, content[50_000:100_001]), true))
		}},
		{name: "file/deleted, missing, aborted", run: func(a *app) error {
			bucket := a.db.GridFSBucket()
			id, err := bucket.UploadFromStream(a, "file", bytes.NewReader(content[:10]))
			if err != nil {
				return err
			}
			if err := bucket.Delete(a, id); err != nil {
				return err
			}
			_, err = bucket.OpenDownloadStream(a, id)
			up, err2 := bucket.OpenUploadStream(a, "other")
			if err2 != nil {
				return err2
			}
			if _, err := up.Write(content[:1<<20]); err != nil {
				return err
			}
			if err := up.Abort(); err != nil {
				return err
			}
			chunks, err2 := a.db.Collection("fs.chunks").EstimatedDocumentCount(a)
			return errors.Join(err2, want("missing", errors.Is(err, mongo.ErrFileNotFound), true), want("chunks", chunks, 0))
		}},
	}
}
