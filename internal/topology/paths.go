package topology

// command is what a command means to us. The zero value is nothing.
type command uint8

const (
	uninteresting command = iota
	hello
	serverStatus
	getStatus
	getConfig
	reconfig
	initiate
	syncFrom
)

// commands are the names that mongod takes for those we look at: it takes both
// spellings of isMaster, and compares the others exactly.
var commands = map[string]command{
	"hello":            hello,
	"isMaster":         hello,
	"ismaster":         hello,
	"serverStatus":     serverStatus,
	"replSetGetStatus": getStatus,
	"replSetGetConfig": getConfig,
	"replSetReconfig":  reconfig,
	"replSetInitiate":  initiate,
	"replSetSyncFrom":  syncFrom,
}

// longestName is the size in bytes of the longest of those names.
const longestName = len("replSetGetStatus")

// place says what of a value is a member's name. Exactly one field is set.
type place struct {
	name   bool   // the string itself
	names  bool   // each string of an array
	fields fields // of a document
	each   fields // of each document of an array
}

// fields are the interesting fields of a document; all others stay.
type fields map[string]place

var (
	helloFields = fields{
		"hosts":    {names: true},
		"passives": {names: true},
		"arbiters": {names: true},
		"primary":  {name: true},
		"me":       {name: true},
	}
	configFields = fields{"members": {each: fields{"host": {name: true}}}}
)

// replies lists where replies name members.
var replies = [...]fields{
	hello:        helloFields,
	serverStatus: {"repl": {fields: helloFields}},
	getStatus: {
		"members":        {each: fields{"name": {name: true}, "syncSourceHost": {name: true}}},
		"syncSourceHost": {name: true},
	},
	getConfig: {"config": {fields: configFields}},
	reconfig:  nil,
	initiate:  nil,
	syncFrom:  nil,
}

// requests lists where requests do. A request without an entry is not held back.
var requests = [...]fields{
	reconfig: {"replSetReconfig": {fields: configFields}},
	initiate: {"replSetInitiate": {fields: configFields}},
	syncFrom: {"replSetSyncFrom": {name: true}},
}

// inReply is where the reply to the command names members, nil if nowhere.
func (c command) inReply() fields { return replies[c] }

// inRequest is where the request does.
func (c command) inRequest() fields { return requests[c] }
