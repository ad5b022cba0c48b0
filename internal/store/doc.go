// Package store keeps findings: one entry per fingerprint, with its counts,
// times, latencies and clients, and where it is in its life. It decides what is
// reported: the floors of the profile, what is muted, what is rare, what is
// gone.
package store
