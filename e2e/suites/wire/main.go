// Command wire sends what drivers seldom or never send, over raw sockets, and
// prints what came back as one line a case: the same line with and without a
// proxy, unless it makes a difference. What differs from run to run (ids, times,
// addresses) is masked. Nothing waits for silence: a case ends with an answer or
// with the end of the connection.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// test is one case. It writes what came back through its session.
type test struct {
	name string
	run  func(*session)
	long bool // left out of the short run
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "wire:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	o := options.Client().ApplyURI(os.Getenv("MONGODB_URI"))
	if err := o.Validate(); err != nil {
		return err
	}
	server, err := primary(ctx, o.Hosts, o.TLSConfig, o.ReplicaSet != nil)
	if err != nil {
		return err
	}
	tests := slices.Concat(opcodes(), handshakes(), flags(), sections(), lengths(), checksums(), compression(),
		documents(), strangers(), clients(), exhaust(), bulk())
	only := os.Getenv("SUITE_ONLY")
	out := bufio.NewWriter(os.Stdout)
	for _, t := range tests {
		if t.long && os.Getenv("SUITE_SHORT") != "" || only != "" && !named(only, t.name) {
			continue
		}
		text, err := server.play(t)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", t.name, err)
			fmt.Fprintf(out, "fail\t%s: %s\n", t.name, text)
			continue
		}
		fmt.Fprintf(out, "pass\t%s: %s\n", t.name, text)
	}
	return out.Flush()
}

// named says whether one of the ids is of the test: an id is its name, a colon and
// what came back then.
func named(ids, name string) bool {
	return slices.ContainsFunc(strings.Split(ids, "\n"), func(id string) bool { return strings.HasPrefix(id, name+": ") })
}
