package wire

import "strconv"

// OpCode says what kind of body follows a header.
type OpCode int32

// The opcodes of the wire protocol, those that servers have forgotten included: old clients and captures still hold them.
const (
	OpReply        OpCode = 1
	OpUpdate       OpCode = 2001
	OpInsert       OpCode = 2002
	OpQuery        OpCode = 2004
	OpGetMore      OpCode = 2005
	OpDelete       OpCode = 2006
	OpKillCursors  OpCode = 2007
	OpCommand      OpCode = 2010
	OpCommandReply OpCode = 2011
	OpCompressed   OpCode = 2012
	OpMsg          OpCode = 2013
)

// Label names the opcode for a metric. The set of names is closed: an opcode nobody knows is "other".
func (o OpCode) Label() string {
	switch o {
	case OpReply:
		return "OP_REPLY"
	case OpUpdate:
		return "OP_UPDATE"
	case OpInsert:
		return "OP_INSERT"
	case OpQuery:
		return "OP_QUERY"
	case OpGetMore:
		return "OP_GET_MORE"
	case OpDelete:
		return "OP_DELETE"
	case OpKillCursors:
		return "OP_KILL_CURSORS"
	case OpCommand:
		return "OP_COMMAND"
	case OpCommandReply:
		return "OP_COMMANDREPLY"
	case OpCompressed:
		return "OP_COMPRESSED"
	case OpMsg:
		return "OP_MSG"
	default:
		return labelOther
	}
}

// labelOther stands for everything outside a closed set of labels.
const labelOther = "other"

// String names the opcode for a reader: "OP_MSG", or "opcode 2269" for one nobody knows.
func (o OpCode) String() string {
	if l := o.Label(); l != labelOther {
		return l
	}
	return "opcode " + strconv.Itoa(int(o))
}
