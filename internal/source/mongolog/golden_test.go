package mongolog_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"mongoadvisor/internal/source/logged/loggedtest"
	"mongoadvisor/internal/source/mongolog"
)

// public are the logs of other projects.
var public = []string{
	"hatchet/sample-mongod.log.gz", "lnav/logfile_mongodb.0",
	"mongo-log-parser/atlas8_shard-00-00.log.gz", "mongo-log-parser/atlas8_shard-00-01.log.gz",
	"mongo-log-parser/atlas8_shard-00-02.log.gz", "mongo-log-parser/atlas8_shard-00-03.log.gz",
	"documentdb-tools/mongod.log.2020-11-10T19-33-14", "documentdb-tools/mongodb.log",
	"mtools/mongod_4.0.10_slowoplogs.log", "mtools/mongod_4.2.11.log",
	"elastic-beats/mongodb-debian-3.2.11.log", "elastic-beats/mongodb-ubuntu-4.4.4-json.log", "ops-agent/input.log",
}

func run(t testing.TB, raw []byte) loggedtest.Summary {
	t.Helper()
	j := loggedtest.New(t)
	l := mongolog.New(mongolog.Config{Emit: j.Take})
	if err := l.Read(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	return j.Summary(l.Coverage(), l.Has())
}

func TestGolden(t *testing.T) {
	compare := func(name string, raw []byte) {
		if !mongolog.Is(raw[:min(len(raw), 4096)]) {
			t.Errorf("%s is not recognised", name)
		}
		loggedtest.Compare(t, filepath.Join("testdata", "golden", strings.ReplaceAll(name, "/", "_")+".json"), run(t, raw))
	}
	compare("slowlab_6.0.5.log", loggedtest.File(t, filepath.Join("testdata", "slowlab_6.0.5.log")))
	for _, name := range public {
		t.Run(name, func(t *testing.T) { compare(name, loggedtest.Data(t, name)) })
	}
}
