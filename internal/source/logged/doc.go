// Package logged makes operations from what mongod writes about them, into its log
// or into system.profile. Both say the same under nearly the same names, so that
// the two sources differ in how they find their records and in nothing else.
package logged
