package op

// Kind says what a command is to an advisor.
type Kind uint8

// The kinds.
const (
	KindOther     Kind = iota // unknown or administrative: counted, not judged
	KindRead                  // find, aggregate, count, distinct, mapReduce
	KindWrite                 // insert, update, delete, findAndModify, bulkWrite
	KindCursor                // getMore, killCursors: the work of the command that opened the cursor
	KindDDL                   // create, createIndexes, …: tells of schema and indexes
	KindHandshake             // hello in all its spellings
	KindSession               // ping, endSessions, commitTransaction, …: housekeeping
	KindSecret                // carries credentials: its body is dropped as soon as it is named
)

// commands maps every spelling the server accepts (command names are
// case-sensitive; the few with two spellings have two entries) to the name used
// for it everywhere else.
var commands = map[string]struct {
	name string
	kind Kind
}{
	"find":          {"find", KindRead},
	"aggregate":     {"aggregate", KindRead},
	"count":         {"count", KindRead},
	"distinct":      {"distinct", KindRead},
	"mapReduce":     {"mapReduce", KindRead},
	"mapreduce":     {"mapReduce", KindRead},
	"insert":        {"insert", KindWrite},
	"update":        {"update", KindWrite},
	"delete":        {"delete", KindWrite},
	"findAndModify": {"findAndModify", KindWrite},
	"findandmodify": {"findAndModify", KindWrite},
	"bulkWrite":     {"bulkWrite", KindWrite},

	"getMore":     {"getMore", KindCursor},
	"killCursors": {"killCursors", KindCursor},

	"create":           {"create", KindDDL},
	"collMod":          {"collMod", KindDDL},
	"createIndexes":    {"createIndexes", KindDDL},
	"dropIndexes":      {"dropIndexes", KindDDL},
	"deleteIndexes":    {"dropIndexes", KindDDL},
	"listIndexes":      {"listIndexes", KindDDL},
	"listCollections":  {"listCollections", KindDDL},
	"drop":             {"drop", KindDDL},
	"dropDatabase":     {"dropDatabase", KindDDL},
	"renameCollection": {"renameCollection", KindDDL},

	"hello":    {"hello", KindHandshake},
	"isMaster": {"hello", KindHandshake},
	"ismaster": {"hello", KindHandshake},

	"ping":                     {"ping", KindSession},
	"endSessions":              {"endSessions", KindSession},
	"startSession":             {"startSession", KindSession},
	"refreshSessions":          {"refreshSessions", KindSession},
	"killSessions":             {"killSessions", KindSession},
	"commitTransaction":        {"commitTransaction", KindSession},
	"abortTransaction":         {"abortTransaction", KindSession},
	"buildInfo":                {"buildInfo", KindSession},
	"buildinfo":                {"buildInfo", KindSession},
	"whatsmyuri":               {"whatsmyuri", KindSession},
	"connectionStatus":         {"connectionStatus", KindSession},
	"getParameter":             {"getParameter", KindSession},
	"getLog":                   {"getLog", KindSession},
	"getLastError":             {"getLastError", KindSession},
	"getlasterror":             {"getLastError", KindSession},
	"serverStatus":             {"serverStatus", KindSession},
	"replSetGetStatus":         {"replSetGetStatus", KindSession},
	"replSetHeartbeat":         {"replSetHeartbeat", KindSession},
	"replSetUpdatePosition":    {"replSetUpdatePosition", KindSession},
	"listDatabases":            {"listDatabases", KindSession},
	"dbStats":                  {"dbStats", KindSession},
	"dbstats":                  {"dbStats", KindSession},
	"collStats":                {"collStats", KindSession},
	"collstats":                {"collStats", KindSession},
	"explain":                  {"explain", KindSession},
	"eval":                     {"eval", KindOther},
	"saslStart":                {"saslStart", KindSecret},
	"saslContinue":             {"saslContinue", KindSecret},
	"authenticate":             {"authenticate", KindSecret},
	"getnonce":                 {"getnonce", KindSecret},
	"logout":                   {"logout", KindSession},
	"createUser":               {"createUser", KindSecret},
	"updateUser":               {"updateUser", KindSecret},
	"copydb":                   {"copydb", KindSecret},
	"copydbgetnonce":           {"copydbgetnonce", KindSecret},
	"copydbsaslstart":          {"copydbsaslstart", KindSecret},
	"rolesInfo":                {"rolesInfo", KindSession},
	"usersInfo":                {"usersInfo", KindSecret},
	"validate":                 {"validate", KindSession},
	"currentOp":                {"currentOp", KindSession},
	"killOp":                   {"killOp", KindSession},
	"hostInfo":                 {"hostInfo", KindSession},
	"listCommands":             {"listCommands", KindSession},
	"getClusterParameter":      {"getClusterParameter", KindSession},
	"setParameter":             {"setParameter", KindSecret},
	"top":                      {"top", KindSession},
	"planCacheClear":           {"planCacheClear", KindSession},
	"fsync":                    {"fsync", KindSession},
	"profile":                  {"profile", KindSession},
	"getDefaultRWConcern":      {"getDefaultRWConcern", KindSession},
	"replSetGetConfig":         {"replSetGetConfig", KindSession},
	"getShardMap":              {"getShardMap", KindSession},
	"atlasVersion":             {"atlasVersion", KindSession},
	"configureFailPoint":       {"configureFailPoint", KindSession},
	"getFreeMonitoringStatus":  {"getFreeMonitoringStatus", KindSession},
	"getCmdLineOpts":           {"getCmdLineOpts", KindSecret},
	"dataSize":                 {"dataSize", KindSession},
	"compact":                  {"compact", KindSession},
	"reIndex":                  {"reIndex", KindDDL},
	"convertToCapped":          {"convertToCapped", KindDDL},
	"shardCollection":          {"shardCollection", KindSession},
	"enableSharding":           {"enableSharding", KindSession},
	"killAllSessions":          {"killAllSessions", KindSession},
	"killAllSessionsByPattern": {"killAllSessionsByPattern", KindSession},
}

// Notice is the pseudo-command of an operation that tells of a connection and
// not of a command; [Operation.Notice] says what.
const Notice = "notice"

// OtherCommand stands for every command that is not known: names come from the
// client, and metric labels from closed sets.
const OtherCommand = "other"

// Command returns the canonical name and kind of a command as it was sent.
// Unknown names give OtherCommand.
func Command(sent string) (name string, kind Kind) {
	if c, ok := commands[sent]; ok {
		return c.name, c.kind
	}
	return OtherCommand, KindOther
}

// CommandNames lists the canonical names, for metrics that exist from the start.
func CommandNames() []string {
	seen := map[string]bool{OtherCommand: true}
	names := []string{OtherCommand}
	for _, c := range commands {
		if !seen[c.name] {
			seen[c.name] = true
			names = append(names, c.name)
		}
	}
	return names
}
