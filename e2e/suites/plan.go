package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// task is a cell to be run, and the suite it is of.
type task struct {
	suite suite
	cell  cell
}

// plan lists what to run. The short plan has the first version of each suite, and
// of its cells the plain ones and those that the filter asks for.
func plan(suites []suite, f filter, short bool) []task {
	var todo []task
	for _, s := range suites {
		for _, c := range s.cells() {
			if f.takes(c) && (!short || c.Version == s.Versions[0] && f.plainElse(c)) {
				todo = append(todo, task{s, c})
			}
		}
	}
	return todo
}

// all runs the tasks one after the other, and tells of each.
func (r *runner) all(ctx context.Context, todo []task, out string) error {
	bad := 0
	fmt.Printf("%-50s %6s %6s %7s %6s %9s %9s %8s\n", "cell", "same", "fail", "skipped", "differ", "unsteady", "coverage", "seconds")
	for _, t := range todo {
		began := time.Now()
		r.say("%s", t.cell)
		res, err := r.run(ctx, t.suite, t.cell)
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted: logs are in %s", r.dir)
		}
		if err != nil {
			bad++
			fmt.Printf("%-50s %v\n", t.cell, err)
			continue
		}
		fmt.Printf("%-50s %6d %6d %7d %6d %9d %9.6f %8.0f\n", t.cell, res.Same[pass]+len(res.Unsteady), res.Same[fail], res.Same[skip], len(res.Differ), len(res.Unsteady),
			res.Judged.Ratio, time.Since(began).Seconds())
		faults := res.faults(t.suite)
		for _, line := range faults {
			fmt.Println("    " + line)
		}
		if len(faults) > 0 {
			bad++
		}
		if out != "" {
			if err := res.write(out); err != nil {
				return err
			}
		}
	}
	if bad > 0 {
		return fmt.Errorf("%w in %d of %d cells: logs are in %s", errFaults, bad, len(todo), r.dir)
	}
	return os.RemoveAll(r.dir)
}
