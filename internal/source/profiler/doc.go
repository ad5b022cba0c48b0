// Package profiler reads what mongod's profiler writes to system.profile, exported
// as JSON (mongoexport, one document a line or an array, Extended JSON of both
// versions) or dumped as BSON (mongodump).
package profiler
