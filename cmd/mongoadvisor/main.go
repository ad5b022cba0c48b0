// Command mongoadvisor watches MongoDB traffic and names the anti-patterns in it.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
