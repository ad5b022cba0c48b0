// Package gotests is a small suite of a shop whose tests say that they run, so that
// findings name them. It needs a server that MONGODB_URI names.
package gotests
