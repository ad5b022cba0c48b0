//go:build !linux

package main

// dropPrivileges does nothing: live capture is for Linux.
func dropPrivileges(string) (string, error) { return "", nil }
