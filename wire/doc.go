// Package wire cuts a MongoDB byte stream into messages and decodes them.
//
// It reads what anybody may send to a database port, so every length is checked against the bytes that are really there
// before it is believed: nothing here panics, recurses, loops on zero progress, or allocates what a header merely declares.
// A decoder that cannot go on returns a worded error that wraps one of the sentinels of errors.go and never contains bytes
// of the message.
//
// A [Framer] makes messages that own their bytes; a decoder's result aliases the message it was given and is valid as long
// as that message is kept unchanged.
package wire
