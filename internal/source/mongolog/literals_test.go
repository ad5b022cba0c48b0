package mongolog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mongoadvisor/internal/source/logged/loggedtest"
	"mongoadvisor/internal/source/mongolog"
)

// TestNoLiteralLeaves: a value in a log stands in no finding, no count and no error.
func TestNoLiteralLeaves(t *testing.T) {
	const token = "Zq7Kx"
	json1 := func(command string) string {
		return entry("conn1", `"type":"command","ns":"a.b","appName":"shop","command":`+command+`,"planSummary":"COLLSCAN","keysExamined":0,"docsExamined":90000,"hasSortStage":true,"nreturned":0,"ok":0,"errMsg":"Zq7Kx","errName":"Zq7Kx is wrong","remote":"127.0.0.1:5","durationMillis":0`)
	}
	lines := []string{
		json1(`{"find":"b","filter":{"s":"Zq7Kx","x":{"$in":["Zq7Kx"]},"y":{"$regularExpression":{"pattern":"Zq7Kx","options":"i"}},"z":{"$regex":"Zq7Kx"}},"sort":{"n":1},"comment":{"a":5},"$db":"a"}`),
		json1(`{"find":"b","filter":{"$where":"this.a == 'Zq7Kx'"},"$db":"a"}`),
		json1(`{"find":"b","filter":{"a":{"$ne":"Zq7Kx"}},"$db":"a"}`),
		json1(`{"aggregate":"b","pipeline":[{"$match":{"a":"Zq7Kx"}},{"$lookup":{"from":"c","let":{"v":"$a"},"pipeline":[{"$match":{"$expr":{"$eq":["$x","$$v"]},"t":"Zq7Kx"}}],"as":"j"}},{"$group":{"_id":null,"all":{"$push":"$$ROOT"}}}],"cursor":{},"$db":"a"}`),
		entry("conn1", `"type":"update","ns":"a.b","command":{"q":{"s":"Zq7Kx"},"u":{"$push":{"log":"Zq7Kx"}},"multi":true,"upsert":false},"planSummary":"COLLSCAN","docsExamined":90000,"nMatched":1,"nModified":1,"durationMillis":0`),
		entry("conn1", `"type":"command","ns":"a.$cmd","command":{"update":"b","$db":"a"},"durationMillis":0`),
		`2016-01-02T03:04:05.678+0100 I COMMAND  [conn12] command a.b command: find { find: "b", filter: { s: /Zq7Kx/i, t: "Zq7Kx" } } planSummary: COLLSCAN docsExamined:90000 exception: Zq7Kx is wrong code:5 nreturned:0 5ms` + "\n",
		`2016-01-02T03:04:05.678+0100 I COMMAND  [conn12] command a.b command: find { find: "b", filter: { s: Zq7Kx } } 5ms` + "\n",
		entry("conn1", `"type":"command","ns":"a.b","command":{"find":Zq7Kx}`),
		"Zq7Kx\n",
	}
	j := loggedtest.New(t)
	l := mongolog.New(mongolog.Config{Emit: j.Take})
	if err := l.Read(strings.NewReader(strings.Repeat(strings.Join(lines, ""), 20))); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal([]any{j.Entries(), l.Coverage()})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), token) {
		at := strings.Index(string(out), token)
		t.Errorf("…%s…", out[max(0, at-200):min(len(out), at+50)])
	}
	if n := len(j.Entries()); n < 6 {
		t.Errorf("only %d findings: %s", n, fmt.Sprint(j.Findings()))
	}
}
