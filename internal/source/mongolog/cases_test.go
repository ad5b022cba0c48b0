package mongolog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/source/logged"
	"mongoadvisor/internal/source/logged/loggedtest"
	"mongoadvisor/internal/source/mongolog"
)

func slowlab(t testing.TB) []byte {
	t.Helper()
	return loggedtest.File(t, filepath.Join("testdata", "slowlab_6.0.5.log"))
}

// read gives the operations of a log, and what was read.
func read(t testing.TB, text string) ([]*op.Operation, *mongolog.Log) {
	t.Helper()
	var out []*op.Operation
	l := mongolog.New(mongolog.Config{Emit: func(o *op.Operation) { out = append(out, o) }})
	if err := l.Read(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return out, l
}

// entry is a line of the JSON log about a slow query; rest are its attributes.
func entry(ctx, rest string) string {
	return `{"t":{"$date":"2026-12-01T00:00:10.000+00:00"},"s":"I","c":"COMMAND","id":51803,"ctx":"` + ctx + `","msg":"Slow query","attr":{` + rest + "}}\n"
}

// L-03: whatever a log shipper puts around the lines, the same is read.
func TestWrappedLines(t *testing.T) {
	raw := slowlab(t)
	want := run(t, raw)
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	each := func(wrap func(string) string) string {
		var b strings.Builder
		for _, line := range lines {
			b.WriteString(wrap(line) + "\n")
		}
		return b.String()
	}
	quote := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	indent := func(s string) string {
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(s), "", "  "); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"CRI": each(func(s string) string { return "2024-01-02T03:04:05.000000000Z stdout F " + s }),
		"CRI in parts": each(func(s string) string {
			return "2024-01-02T03:04:05.000000000Z stdout P " + s[:100] + "\n2024-01-02T03:04:05.000000000Z stdout F " + s[100:]
		}),
		"docker": each(func(s string) string {
			return `{"log":` + quote(s+"\n") + `,"stream":"stdout","time":"2024-01-02T03:04:05Z"}`
		}),
		"journal":         each(func(s string) string { return `{"__CURSOR":"x","MESSAGE":` + quote(s) + `}` }),
		"cloud":           each(func(s string) string { return `{"insertId":"x","jsonPayload":` + s + `}` }),
		"name":            each(func(s string) string { return "{mongod.log} " + s }),
		"syslog":          each(func(s string) string { return "<13>Jan  2 03:04:05 host mongod[17]: " + s }),
		"kubectl -f":      each(func(s string) string { return "[pod/mongod-0/mongod] " + s }),
		"compose":         each(func(s string) string { return "mongod-1  | " + s }),
		"carriage return": each(func(s string) string { return s + "\r" }),
		"byte order mark": "\xef\xbb\xbf" + string(raw),
		"array":           "[" + strings.Join(lines, ",") + "]",
		"array in lines":  "[\n" + strings.Join(lines, ",\n") + "\n]\n",
		"pretty":          each(indent),
		"pretty array":    "[\n" + strings.TrimSuffix(each(func(s string) string { return indent(s) + "," }), ",\n") + "\n]\n",
		"no last newline": strings.TrimSpace(string(raw)),
	} {
		if !mongolog.Is([]byte(text)[:3000]) {
			t.Errorf("%s: not recognised", name)
		}
		got := run(t, []byte(text))
		got.Coverage.Bytes, got.Coverage.Records = want.Coverage.Bytes, want.Coverage.Records
		if a, b := fmt.Sprint(got), fmt.Sprint(want); a != b {
			t.Errorf("%s:\n got %s\nwant %s", name, a, b)
		}
	}
}

func TestIs(t *testing.T) {
	for _, text := range []string{`{"t":{"$date":"2026-12-01T00:04`, `{"log":"{\"t\":{\"$date\":\"2026-12`, `2024-01-02T03:04:05.000000000Z stdout F {"t":{"$date":"2026`} {
		if !mongolog.Is([]byte(text)) {
			t.Errorf("%q is not taken for a log", text)
		}
	}
	for _, text := range []string{"", "\n", "hello\n", `{"a":1}` + "\n", `{"op":"query","ns":"a.b","ts":{"$date":5}}`, "\xd4\xc3\xb2\xa1\x02\x00\x04\x00"} {
		if mongolog.Is([]byte(text)) {
			t.Errorf("%q is taken for a log", text)
		}
	}
}

// L-05: what the server cut is attributed, and absence is no evidence.
func TestTruncatedCommands(t *testing.T) {
	ops, l := read(t, string(slowlab(t)))
	var cut []string
	for _, o := range ops {
		if o.Cut {
			cut = append(cut, o.Command+" "+o.NS.String())
		}
	}
	if slices.Sort(cut); fmt.Sprint(cut) != "[find slowlab.t find slowlab.t find slowlab.t find slowlab.t getMore slowlab.t getMore slowlab.t]" {
		t.Error(cut)
	}
	if n := l.Coverage().Truncated; n != 6 {
		t.Errorf("%d are counted as truncated, want 6", n)
	}
}

// L-05: lines longer than any buffer, and one that is too long.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	text := entry("conn1", `"type":"command","ns":"a.b","command":{"find":"b","filter":{"s":"`+long+`"},"$db":"a"},"nreturned":1,"durationMillis":5`)
	ops, l := read(t, text+text)
	if len(ops) != 2 || len(op.Str(op.Get(op.Doc(op.Get(ops[0].Body, "filter")), "s"))) != len(long) {
		t.Fatalf("%d operations", len(ops))
	}
	if c := l.Coverage(); c.Bytes != int64(2*len(text)) {
		t.Errorf("%+v", c)
	}
	ops, l = read(t, strings.Repeat("y", 33<<20)+"\n"+text)
	if len(ops) != 1 || l.Coverage().Skipped[mongolog.SkipLongLine] != 1 {
		t.Errorf("%d operations, %+v", len(ops), l.Coverage())
	}
}

// L-07: hello is left out whatever it took.
func TestHelloInTheSlowLog(t *testing.T) {
	ops, l := read(t, entry("conn10", `"type":"command","ns":"admin.$cmd","command":{"hello":1,"maxAwaitTimeMS":10000,"$db":"admin"},"numYields":0,"ok":0,"errName":"InterruptedAtShutdown","errCode":11600,"reslen":147,"durationMillis":0`)+
		entry("conn10", `"type":"command","ns":"admin.$cmd","command":{"isMaster":1,"$db":"admin"},"durationMillis":9000`))
	if c := l.Coverage(); len(ops) != 0 || c.Skipped[logged.SkipHandshake] != 2 || c.Complete {
		t.Errorf("%d operations, %+v", len(ops), c)
	}
}

// L-08: a getMore has the shape of the find that opened its cursor.
func TestGetMoreHasItsOrigin(t *testing.T) {
	ops, _ := read(t, string(slowlab(t)))
	shapes := map[uint64]bool{}
	mores := 0
	for _, o := range ops {
		switch o.Command {
		case "find", "aggregate":
			shapes[o.ShapeID()] = true
		case "getMore":
			if mores++; o.Origin == nil || o.Origin.NS != o.NS || !o.Cut && !shapes[o.Origin.Shape.ID] {
				t.Errorf("%v: its origin is %+v", o.NS, o.Origin)
			}
		}
	}
	if mores != 21 {
		t.Errorf("%d getMores, want 21", mores)
	}
}

// L-10: the spellings of a regular expression have one verdict.
func TestSpellingsOfRegex(t *testing.T) {
	for _, filter := range []string{
		`{"s":{"$regularExpression":{"pattern":"abc","options":"i"}}}`, `{"s":{"$regex":"abc","$options":"i"}}`,
	} {
		line := entry("conn1", `"type":"command","ns":"a.b","command":{"find":"b","filter":`+filter+`,"$db":"a"},"nreturned":1,"durationMillis":5`)
		if s := run(t, []byte(line)); fmt.Sprint(s.Findings) != "[Q02/contains a.b 1]" {
			t.Errorf("%s: %v", filter, s.Findings)
		}
	}
	line := `2020-11-10T15:29:23.183+0000 I  COMMAND  [conn1] command a.b appName: "x" command: find { find: "b", filter: { s: /abc/i }, $db: "a" } planSummary: COLLSCAN keysExamined:0 docsExamined:2 nreturned:1 reslen:79 protocol:op_msg 5ms`
	if s := run(t, []byte(line)); fmt.Sprint(s.Findings) != "[Q02/contains a.b 1]" {
		t.Errorf("text: %v", s.Findings)
	}
}

// L-12: the fields of 8.0; what nobody sent is not blamed on a client.
func TestFieldsOf8(t *testing.T) {
	ops, l := read(t, entry("conn1", `"type":"command","isFromUserConnection":true,"ns":"a.b","collectionType":"normal","queryShapeHash":"X","command":{"find":"b","filter":{"x":1},"$db":"a"},"planSummary":"IXSCAN { x: 1 }","keysExamined":5,"docsExamined":4,"nreturned":3,"cpuNanos":5,"queues":{"ingress":{}},"workingMillis":1,"durationMillis":7`)+
		entry("conn2", `"type":"command","isFromUserConnection":false,"ns":"a.b","command":{"find":"b","$db":"a"},"durationMillis":7`)+
		entry("IndexBuildsCoordinatorMongod-1", `"type":"none","ns":"a.b","command":{"createIndexes":"b","$db":"a"},"durationMillis":8`)+
		entry("conn3", `"type":"command","ns":"local.oplog.rs","command":{"find":"oplog.rs","$db":"local"},"durationMillis":8`)+
		entry("conn3", `"type":"command","ns":"a.b","command":{"getMore":5,"collection":"b","$db":"a"},"originatingCommand":{"aggregate":"b","pipeline":[{"$changeStream":{}}],"$db":"a"},"durationMillis":800`))
	if len(ops) != 1 {
		t.Fatalf("%d operations", len(ops))
	}
	o := ops[0]
	if o.Latency != 7*time.Millisecond || o.Exec.KeysExamined != 5 || o.Exec.DocsExamined != 4 || o.Exec.Plan != "IXSCAN" || o.Reply.Returned != 3 || !o.Time.Equal(time.Date(2026, 12, 1, 0, 0, 9, 993e6, time.UTC)) {
		t.Errorf("%+v", o)
	}
	if c := l.Coverage(); c.Decoded != 5 || c.Skipped[logged.SkipInternal] != 2 || c.Skipped[logged.SkipReplication] != 1 || c.Skipped[logged.SkipChangeStream] != 1 {
		t.Errorf("%+v", c)
	}
}

// One update is one operation, whatever the server logs of it, and in either order.
func TestWritesCountOnce(t *testing.T) {
	statement := func(id, ms int) string {
		return entry("conn1", fmt.Sprintf(`"type":"update","ns":"a.b","appName":"shop","command":{"q":{"x":%d},"u":{"$set":{"y":1}},"multi":false,"upsert":false},"planSummary":"COLLSCAN","keysExamined":0,"docsExamined":9,"nMatched":1,"nModified":1,"nUpserted":0,"remote":"127.0.0.1:5","durationMillis":%d`, id, ms))
	}
	command := entry("conn1", `"type":"command","ns":"a.$cmd","appName":"shop","command":{"update":"b","ordered":true,"writeConcern":{"w":1},"$db":"a"},"reslen":60,"remote":"127.0.0.1:5","durationMillis":30`)
	other := entry("conn1", `"type":"command","ns":"a.b","command":{"find":"b","filter":{"x":1},"$db":"a"},"nreturned":1,"remote":"127.0.0.1:5","durationMillis":3`)
	foreign := entry("conn2", `"type":"command","ns":"a.b","command":{"find":"b","filter":{"x":1},"$db":"a"},"nreturned":1,"durationMillis":3`)
	for _, c := range []struct {
		name, text string
		want       string // commands with their statements
	}{
		{"one", statement(1, 10) + command, "[update 1]"},
		{"three", statement(1, 10) + statement(2, 10) + foreign + statement(3, 10) + command, "[find 1 update 3]"},
		{"sorted", command + statement(1, 10) + other, "[update 1 find 1]"},
		{"without its command", statement(1, 10) + other, "[update 1 find 1]"},
		{"quick statements", command + other, "[update 0 find 1]"},
		{"two commands", statement(1, 1) + command + statement(2, 1) + command, "[update 1 update 1]"},
	} {
		ops, _ := read(t, c.text)
		var got []string
		for _, o := range ops {
			got = append(got, fmt.Sprint(o.Command, " ", len(o.Statements())))
			if o.Command != "update" {
				continue
			}
			if o.NS.String() != "a.b" || o.Conn.App != "shop" || o.Conn.Client != "127.0.0.1:5" || !o.Conn.Handshake {
				t.Errorf("%s: %+v %+v", c.name, o.NS, o.Conn)
			}
			if n := len(o.Statements()); o.Cut != (n == 0) || o.Reply.N != int64(n) || o.Reply.Modified != int64(n) || o.Exec.DocsExamined != int64(9*n) {
				t.Errorf("%s: %+v %+v", c.name, o.Reply, o.Exec)
			}
			if c.name != "without its command" && (o.Latency != 30*time.Millisecond || op.Get(o.Body, "writeConcern").Type == 0) {
				t.Errorf("%s: the command's own record is not taken in", c.name)
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A read through a view is about the collection below it.
func TestReadsThroughViews(t *testing.T) {
	j := loggedtest.New(t, "Q01")
	l := mongolog.New(mongolog.Config{Emit: j.Take})
	line := entry("conn1", `"type":"command","ns":"a.v","command":{"find":"v","filter":{"x":1},"$db":"a"},"resolvedViews":[{"viewNamespace":"a.v","dependencyChain":["v","w","t"],"resolvedPipeline":[{"$match":{"s":{"$regularExpression":{"pattern":"0$","options":""}}}}]}],"nreturned":1,"durationMillis":5`)
	if err := l.Read(strings.NewReader(line)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(j.Findings()); got != "[Q01/unanchored a.t 1]" {
		t.Error(got)
	}
	if j.Operations[0].NS.Coll != "v" || j.Operations[0].Stored().Coll != "t" {
		t.Errorf("%v is stored in %v", j.Operations[0].NS, j.Operations[0].Stored())
	}
}

// Redacted values are no evidence: neither equal to each other nor patterns.
func TestRedactedValues(t *testing.T) {
	var text strings.Builder
	for range 300 {
		text.WriteString(entry("conn1", `"type":"command","ns":"a.b","command":{"find":"###","filter":{"mail":"###","age":{"$exists":"###"},"s":{"$regex":"###","$options":"###"}},"sort":{"n":"###"},"limit":"###","$db":"###"},"planSummary":"COLLSCAN","docsExamined":9,"nreturned":1,"durationMillis":0`))
		text.WriteString(entry("conn1", `"type":"command","ns":"a.b","command":{"aggregate":"###","pipeline":[{"$match":{"x":"###"}},{"$lookup":{"from":"###","localField":"###","foreignField":"###","as":"###"}}],"cursor":{},"$db":"###"},"nreturned":1,"durationMillis":0`))
		text.WriteString(entry("conn1", `"type":"update","ns":"a.b","command":{"q":{"_id":"###"},"u":{"$inc":{"n":"###"}},"multi":"###","upsert":"###"},"nMatched":1,"nModified":1,"durationMillis":0`))
		text.WriteString(entry("conn1", `"type":"command","ns":"a.b","command":{"update":"###","$db":"###"},"durationMillis":0`))
	}
	ops, l := read(t, text.String())
	if c := l.Coverage(); c.Redacted != 1200 || len(ops) != 900 || len(c.Undecoded) != 0 {
		t.Errorf("%d operations, %+v", len(ops), c)
	}
	for _, o := range ops {
		if o.NS.String() != "a.b" || len(o.Statements()) != 1 {
			t.Fatalf("%s %v has %d statements", o.Command, o.NS, len(o.Statements()))
		}
	}
	if a, b := ops[2].Statements()[0], ops[5].Statements()[0]; a.Command != "update" {
		t.Fatal(a.Command)
	} else if x, _ := a.Target(); true {
		if y, _ := b.Target(); x == y {
			t.Error("two hidden values pass for equal")
		}
	}
	j := loggedtest.New(t)
	for _, o := range ops {
		j.Take(o)
	}
	for _, f := range j.Findings() {
		if rule, _, _ := strings.Cut(f, "/"); rule != "W05" { // the updates are one by one indeed
			t.Error(f)
		}
	}
}

// Who is behind a connection comes from its metadata, and a number that another
// client has after a restart is another connection.
func TestConnections(t *testing.T) {
	text := `{"t":{"$date":"2026-12-01T00:00:00.000+00:00"},"s":"I","c":"NETWORK","id":51800,"ctx":"conn1","msg":"client metadata","attr":{"remote":"10.0.0.1:5","client":"conn1","doc":{"driver":{"name":"nodejs","version":"6.3.0"},"application":{"name":"shop"},"os":{"type":"Linux"}}}}` + "\n" +
		entry("conn1", `"type":"command","ns":"a.b","command":{"find":"b","$db":"a"},"nreturned":1,"remote":"10.0.0.1:5","durationMillis":3`) +
		entry("conn1", `"type":"command","ns":"a.b","command":{"find":"b","$db":"a"},"nreturned":1,"remote":"10.0.0.1:5","durationMillis":3`) +
		entry("conn1", `"type":"command","ns":"a.b","command":{"find":"b","$db":"a"},"nreturned":1,"remote":"10.0.0.2:5","durationMillis":3`) +
		"2020-11-10T15:29:23.183+0000 I  NETWORK  [conn3] received client metadata from 10.0.0.3:6 conn3: { driver: { name: \"PyMongo\", version: \"4.0\" }, os: { type: \"Linux\" } }\n" +
		"2020-11-10T15:29:23.183+0000 I  COMMAND  [conn3] command a.b command: find { find: \"b\", $db: \"a\" } nreturned:1 5ms\n"
	ops, _ := read(t, text)
	if len(ops) != 6 || ops[0].Command != "hello" || !ops[0].Introduces {
		t.Fatalf("%d operations", len(ops))
	}
	a, b, c, d := ops[1].Conn, ops[2].Conn, ops[3].Conn, ops[5].Conn
	if a != b || a.App != "shop" || a.Driver != "nodejs 6.3.0" || a.Client != "10.0.0.1:5" || !a.Handshake {
		t.Errorf("%+v %+v", a, b)
	}
	if c.ID == a.ID || c.App != "" || c.Driver != "" || c.Handshake {
		t.Errorf("%+v", c)
	}
	if d.Driver != "PyMongo 4.0" || d.App != "" || !d.Handshake {
		t.Errorf("%+v", d)
	}
}

// Members of the replica set are no clients: they have no names, and their work is
// not the application's. A router passes on what clients ask.
func TestMembersAreNoClients(t *testing.T) {
	text := ""
	for i, driver := range []string{"NetworkInterfaceTL-MirrorMaestro", "NetworkInterfaceTL", "MongoDB Internal Client", "PyMongo"} {
		text += fmt.Sprintf(`{"t":{"$date":"2026-12-01T00:00:00.000+00:00"},"s":"I","c":"NETWORK","id":51800,"ctx":"conn%d","msg":"client metadata","attr":{"remote":"10.0.0.1:5","client":"conn%d","doc":{"driver":{"name":"%s","version":"6"}}}}`, i+1, i+1, driver) + "\n" +
			entry(fmt.Sprintf("conn%d", i+1), `"type":"command","ns":"a.b","command":{"find":"b","$db":"a"},"nreturned":1,"remote":"10.0.0.1:5","durationMillis":3`)
	}
	ops, l := read(t, text)
	var got []string
	for _, o := range ops {
		got = append(got, fmt.Sprint(o.Command, " ", o.Conn.Handshake))
	}
	if fmt.Sprint(got) != "[find false find false hello true find true]" || l.Coverage().Skipped[logged.SkipReplication] != 1 {
		t.Errorf("%v, %+v", got, l.Coverage())
	}
}

// Each slow operation may be one of many; those of a log with slowms 0 are all.
func TestStretches(t *testing.T) {
	line := func(ms int) string {
		return entry("conn1", fmt.Sprintf(`"type":"command","ns":"a.b","command":{"find":"b","$db":"a"},"nreturned":1,"durationMillis":%d`, ms))
	}
	distinct := func(ops []*op.Operation) int {
		seen := map[uint64]bool{}
		for _, o := range ops {
			seen[o.Sample.Stretch] = true
		}
		return len(seen)
	}
	ops, l := read(t, strings.Repeat(line(120), 300))
	if n := distinct(ops); n != 300 || l.Has()&op.HasEvery != 0 || ops[0].Has&op.HasEvery != 0 {
		t.Errorf("slow ones: %d stretches, %s", n, l.Has())
	}
	ops, l = read(t, strings.Repeat(line(120), 50)+line(0)+strings.Repeat(line(3), 100))
	if n := distinct(ops); n != 1 || l.Has()&op.HasEvery == 0 || ops[0].Has&op.HasEvery == 0 || !l.Coverage().Complete {
		t.Errorf("all: %d stretches, %s", n, l.Has())
	}
	ops, l = read(t, line(0)+strings.Repeat(line(120), 500))
	if n := distinct(ops); n < 250 || l.Has()&op.HasEvery != 0 || l.Coverage().Complete {
		t.Errorf("slowms was raised: %d stretches, %s", n, l.Has())
	}
}

// The forms that text logs had before 3.6.
func TestTextForms(t *testing.T) {
	for line, want := range map[string]string{
		`command a.$cmd command: findandmodify { findandmodify: "b", query: { x: 1 }, update: { $set: { y: 1 } } } keyUpdates:0 reslen:50 5ms`:                                                                                       `findAndModify a.b {query: {x: <n>}`,
		`query a.b query: { x: "it's "quoted"", y: { $gt: 5 } } planSummary: COLLSCAN, IXSCAN { x: 1, z: -1 } ntoreturn:10 keysExamined:0 docsExamined:900 hasSortStage:1 nreturned:1 reslen:20 5ms`:                                 `find a.b`,
		`query a.b query: { $query: { x: 1 }, $orderby: { y: 1 } } planSummary: COLLSCAN nreturned:1 reslen:20 5ms`:                                                                                                                  `find a.b`,
		`getmore a.b query: { x: 1 } cursorid:123 nreturned:5 reslen:20 5ms`:                                                                                                                                                         `getMore a.b`,
		`insert a.b query: { _id: ObjectId('0123456789abcdef01234567'), secret: 1 } ninserted:1 5ms`:                                                                                                                                 `insert a.b`,
		`update a.b query: { x: 1 } update: { $set: { y: 1 } } nMatched:1 nModified:1 5ms`:                                                                                                                                           `update a.b`,
		`remove a.b query: { x: 1 } ndeleted:1 5ms`:                                                                                                                                                                                  `delete a.b`,
		`command a.b appName: "my "app" x" command: count { count: "b", query: { x: 1 } } planSummary: COUNT { x: 1 } keysExamined:1 exception: it's 5: { not } here code:11600 numYields:0 reslen:5 locks:{ Global: { r: 1 } } 5ms`: `count a.b`,
	} {
		ops, l := read(t, "2016-01-02T03:04:05.678+0100 I COMMAND  [conn12] "+line+"\n")
		if len(ops) != 1 {
			t.Errorf("%s: %d operations, %+v", line, len(ops), l.Coverage())
			continue
		}
		o := ops[0]
		want, _, _ := strings.Cut(want, " {")
		if got := o.Command + " " + o.NS.String(); got != want || o.Latency != 5*time.Millisecond {
			t.Errorf("%s: %s in %v, want %s", line, got, o.Latency, want)
		}
		if op.Get(o.Body, "documents").Type != 0 {
			t.Errorf("%s: a document is kept", line)
		}
		switch o.Command {
		case "count":
			if o.Reply.OK || o.Reply.Code != 11600 || o.Conn.App != `my "app" x` {
				t.Errorf("%+v %+v", o.Reply, o.Conn)
			}
		case "find":
			if len(o.Statements()) != 1 || o.Statements()[0].Filter == nil || strings.Contains(line, "$orderby") != (o.Statements()[0].Sort != nil) {
				t.Errorf("%+v", o.Statements())
			}
			if strings.Contains(line, "IXSCAN") && (o.Exec.Plan != "COLLSCAN, IXSCAN" || !o.Exec.SortInMemory || o.Exec.DocsExamined != 900 || o.Statements()[0].Limit != 10) {
				t.Errorf("%+v", o.Exec)
			}
		case "update":
			if s := o.Statements(); len(s) != 1 || s[0].Update.Operators == nil || o.Reply.N != 1 {
				t.Errorf("%+v", s)
			}
		case "getMore":
			if o.Origin == nil || o.Origin.Command != "find" {
				t.Errorf("%+v", o.Origin)
			}
		}
	}
}

// A broken line is counted by reason and costs nothing else; no count and no reason
// tells what stood there.
func TestBrokenLines(t *testing.T) {
	good := slow(5) + "\n"
	text := good + good[:120] + "\n" + good + "secret noise\n" +
		`{"t":{"$date":"2026-12-01T00:04:08.713+00:00"},"msg":"Slow query","attr":{"command":secret}}` + "\n" +
		`{"t":{"$date":"2026-12-01T00:04:08.713+00:00"},"id":51803,"ctx":"conn1","msg":"Slow query","attr":{"ns":"secret.x"}}` + "\n" +
		"2016-01-02T03:04:05.678+0100 I COMMAND  [conn12] command a.b command: find { find: \"secret } 5ms\n" +
		"2016-01-02T03:04:05.678+0100 I COMMAND  [conn12] warning: log line attempted (27kB) over max size (10kB), printing beginning and end ... command a.b command: find { find: \"b\", filter: { x: \"secr .......... et\" } } 5ms\n" +
		good
	ops, l := read(t, text)
	c := l.Coverage()
	got, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if len(ops) != 3 || c.Undecoded[mongolog.BadJSON] != 2 || c.Undecoded[mongolog.BadDocument] != 1 || c.Undecoded[mongolog.CutDocument] != 1 ||
		c.Undecoded[logged.NoCommand] != 1 || c.Skipped[mongolog.SkipUnrecognised] != 1 {
		t.Errorf("%d operations, %s", len(ops), got)
	}
	if bytes.Contains(got, []byte("secret")) {
		t.Errorf("%s", got)
	}
}

// Commands that carry credentials have no body, and text of errors is not kept.
func TestCredentialsAreNotKept(t *testing.T) {
	ops, _ := read(t, entry("conn1", `"type":"command","ns":"admin.$cmd","command":{"createUser":"bob","pwd":"hunter2","$db":"admin"},"ok":0,"errMsg":"hunter2 is weak","errName":"hunter2 is weak","errCode":5,"durationMillis":5`))
	if len(ops) != 1 || ops[0].Body != nil || ops[0].Reply.CodeName != "" || ops[0].Reply.Code != 5 || ops[0].Reply.OK {
		t.Errorf("%+v", ops)
	}
}

// The same log gives the same operations, also as several files.
func TestDeterministic(t *testing.T) {
	raw := slowlab(t)
	print := func(ops []*op.Operation) string {
		var b strings.Builder
		for _, o := range ops {
			fmt.Fprint(&b, o.Time, o.Latency, o.Has, *o.Conn, o.NS, o.Command, o.Body, o.Cut, o.Reply, o.Exec, o.Sample, o.Shape().Text, "\n")
		}
		return b.String()
	}
	a, _ := read(t, string(raw))
	b, _ := read(t, string(raw))
	if print(a) != print(b) {
		t.Error("two runs differ")
	}
	var c []*op.Operation
	l := mongolog.New(mongolog.Config{Emit: func(o *op.Operation) { c = append(c, o) }})
	half := bytes.IndexByte(raw[len(raw)/4:], '\n') + len(raw)/4 + 1
	for _, part := range [][]byte{raw[:half], raw[half:]} {
		if err := l.Read(bytes.NewReader(part)); err != nil {
			t.Fatal(err)
		}
	}
	if print(a) != print(c) {
		t.Error("two files differ from one")
	}
}

func FuzzLine(f *testing.F) {
	for line := range bytes.Lines(slowlab(f)) {
		if len(line) < 1500 {
			f.Add(line)
		}
	}
	f.Add([]byte(`2016-01-02T03:04:05.678+0100 I COMMAND  [conn12] query a.b query: { $query: { x: 1 }, $orderby: { y: 1 } } planSummary: IXSCAN { a: 1 }, COLLSCAN nreturned:1 reslen:20 5ms`))
	f.Add([]byte(`2016-01-02T03:04:05.678+0100 I WRITE  [conn12] update a.b appName: "x" query: { x: 1 } update: { $set: { y: "###" } } exception: x code:5 5ms`))
	f.Add([]byte(`{"log":"{\"t\":{\"$date\":\"2026-12-01T00:04:08.713+00:00\"}}\n"}`))
	f.Fuzz(func(_ *testing.T, line []byte) {
		l := mongolog.New(mongolog.Config{Emit: func(o *op.Operation) { o.Statements(); o.Shape() }})
		l.Line(line)
		l.Line(line)
		l.Flush()
		mongolog.Is(line)
	})
}

func BenchmarkRead(b *testing.B) {
	raw := slowlab(b)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		l := mongolog.New(mongolog.Config{})
		if err := l.Read(bytes.NewReader(raw)); err != nil {
			b.Fatal(err)
		}
	}
}
