// Package extjson reads Extended JSON into BSON: versions 1 and 2, canonical and
// relaxed, and what mongod writes into its log. The order of fields and fields
// that stand twice are kept. It is lenient: a {"$date": …} that means nothing
// stays a document, and invalid UTF-8 is passed on.
package extjson
