// Package analysis is the contract between rules and what runs them: an
// [Analyzer] is a value that can be listed, validated and documented without
// running; a [Pass] is what it sees of one operation; a [Finding] is what it
// says. Rules hold no state of their own and never name themselves: the engine
// makes, caps and expires their state, and their Pass knows who they are.
package analysis
