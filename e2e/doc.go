// Package e2e holds the tests of the whole: the built binary, a real mongod,
// real drivers, and what goes wrong between them.
package e2e
