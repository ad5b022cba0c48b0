// Package shelltext reads the documents in text logs of mongod before 4.4 into
// BSON: { find: "x", filter: { a: /re/i, _id: ObjectId('…') } }. The server wrote
// them for people: quotes inside of strings are not escaped, and integers of both
// sizes look alike. What cannot be told apart is an error, never a guess that
// would change the shape.
package shelltext
