package analyzers

import "mongoadvisor/internal/analysis"

// stormKind is what is said of an error code. In mongosh text, <coll> stands for
// the collection.
type stormKind struct {
	codes    []int32
	reason   string
	severity analysis.Severity
	usual    bool // applications use it to be told something: only very many are a storm
	message  string
	advice   string
	caveat   string
	fix      string
	mongosh  string
}

// stormKinds are the codes with a reason of their own; the last one is for all
// others.
var stormKinds = []stormKind{
	{
		codes: []int32{11000, 11001, 12582}, reason: "duplicate-key", severity: analysis.Medium, usual: true,
		message: "duplicate keys",
		advice:  "Many writers insert what is there already, or upsert the same key at once; each failed write still cost a round trip and an index lookup.",
		caveat:  "an import that leaves out what it had before may work like this",
		fix:     "Write with updateOne, the unique key in the filter, $setOnInsert and upsert: what is there stays, without an error. Of two upserts at the same moment one can still fail: run that one again, once. Keys that are made by counting and trying are better made by the server ($inc in a counter) or at random.",
		mongosh: "<coll>.updateOne({ <unique field>: <value> }, { $setOnInsert: { <field>: <value> } }, { upsert: true })",
	},
	{
		codes: []int32{292, 16819, 16820, 16945}, reason: "memory-limit", severity: analysis.High,
		message: "sorts or groups that need more memory than a stage may take",
		advice:  "The query fails at this size of the data, and will for good as the data grows.",
		caveat:  "one report over all data may need the disk",
		fix:     "Give the order an index, so that nothing is sorted in memory, and filter before the stage. allowDiskUse lets it write to disk, which is slow but ends.",
		mongosh: "<coll>.createIndex({ <sorted field>: 1 })",
	},
	{
		codes: []int32{96, 17287}, reason: "sort-memory", severity: analysis.High,
		message: "operations that the server gave up; on old servers, sorts that need more memory than they may take",
		advice:  "A sort without an index fails as soon as the data is large enough.",
		caveat:  "the code stands for other failures, too: the server's log tells which",
		fix:     "Give the order an index, so that nothing is sorted in memory, or limit what is sorted.",
		mongosh: "<coll>.createIndex({ <sorted field>: 1 })",
	},
	{
		codes: []int32{50}, reason: "time-limit", severity: analysis.High,
		message: "operations that exceed their maxTimeMS",
		advice:  "The work was done up to the limit and thrown away; a retry does it again.",
		caveat:  "the deadline may be meant to cut off what takes long",
		fix:     "See what the statement reads (explain) and give it an index or a smaller range, before the deadline is raised. Do not retry at once.",
		mongosh: `<coll>.find(<filter>).explain("executionStats")`,
	},
	{
		codes: []int32{13}, reason: "not-authorized", severity: analysis.Medium,
		message: "operations that their user may not do",
		advice:  "Something is called that can never succeed: a role is missing, or the wrong user or database is configured.",
		caveat:  "somebody may be trying what they are not meant to do",
		fix:     "Grant the role that the statement needs to the application's user, or take the call away.",
		mongosh: `db.grantRolesToUser("<user>", [{ role: "readWrite", db: "<database>" }])`,
	},
	{
		codes: []int32{18}, reason: "authentication", severity: analysis.High,
		message: "logins that fail",
		advice:  "Each attempt costs the server a hash that is slow on purpose, and the application does not work.",
		caveat:  "a password may be rotated at this moment; or somebody guesses",
		fix:     "Check user, password and authSource of the connection string, and wait between attempts.",
		mongosh: "mongodb://<user>:<password>@<host>/?authSource=admin",
	},
	{
		codes: []int32{112}, reason: "write-conflict", severity: analysis.Medium,
		message: "write conflicts",
		advice:  "Several writers change the same document at the same moment; all but one start again.",
		caveat:  "a burst of writers may pass",
		fix:     "Spread what many change over several documents and add them up when reading, or collect changes and write them at once.",
		mongosh: "<coll>.updateOne({ of: <id>, slot: <0 to 9> }, { $inc: { <counter>: 1 } }, { upsert: true })",
	},
	{
		codes: []int32{26}, reason: "missing-namespace", severity: analysis.Medium,
		message: "operations on a collection that is not there",
		advice:  "The name is wrong, or a deployment forgot to make it.",
		caveat:  "tests may look before they create",
		fix:     "Create the collection when deploying, or correct the name.",
		mongosh: "<coll>.createIndex({ <field>: 1 })",
	},
	{
		codes: []int32{59}, reason: "unknown-command", severity: analysis.Medium,
		message: "commands that the server does not know",
		advice:  "Driver or tool and server speak different dialects: a version too old or too new, or another product that is compatible in part.",
		caveat:  "a client may try a command to learn whether it is there",
		fix:     "Compare the versions of driver and server, and take away what the server does not have.",
		mongosh: "db.version()",
	},
	{
		codes: []int32{8000}, reason: "atlas", severity: analysis.Medium,
		message: "errors of the Atlas service",
		advice:  "Atlas refuses what a tier or its configuration does not allow, whatever is retried.",
		caveat:  "a change of the cluster may be under way",
		fix:     "Look the message up in the application's log: user, tier limits and operations that shared tiers do not support are the usual reasons.",
	},
	{
		reason: "other", severity: analysis.Medium, usual: true,
		message: "the same error",
		advice:  "Each of these calls cost a round trip and gave nothing.",
		caveat:  "a failover or a deployment may pass",
		fix:     "Look the code up, and retry only what can succeed, after a pause that grows.",
	},
}

func stormOf(code int32) *stormKind {
	for i := range stormKinds {
		for _, c := range stormKinds[i].codes {
			if c == code {
				return &stormKinds[i]
			}
		}
	}
	return &stormKinds[len(stormKinds)-1]
}

// stormReasons are the reasons with their codes' meaning.
func stormReasons() []analysis.Reason {
	var out []analysis.Reason
	for i := range stormKinds {
		out = append(out, analysis.Reason{Name: stormKinds[i].reason, Doc: stormKinds[i].message})
	}
	return out
}
