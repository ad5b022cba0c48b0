package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// machine is the kind of machine, without its name.
func machine() string {
	model := "unknown processor"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for l := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%d × %s, %s, %s", runtime.NumCPU(), model, runtime.GOOS, runtime.Version())
}

// row is what the table says of a target under a load.
type row struct {
	target     string
	rate       float64
	rateRatio  spread // to HAProxy
	p          [3]time.Duration
	cpu        float64 // ns per operation; 0: nothing to say
	cpuRatio   spread
	latency    spread // p50 to HAProxy's
	peak       int64
	throughput float64 // MiB/s, of bulk replies
}

// rows of a load, in the order of the targets.
func (r *results) rows(upstream, load string) []row {
	by := r.Samples[upstream][load]
	base := by["haproxy"]
	var out []row
	for _, name := range r.Targets {
		s := by[name]
		if len(s) == 0 {
			continue
		}
		x := row{
			target: name, rate: over(values(s, sample.rate)).Median, rateRatio: over(ratios(s, base, sample.rate)),
			cpu: over(values(s, sample.perOp)).Median, cpuRatio: over(ratios(s, base, sample.perOp)),
			latency: over(ratios(s, base, func(s sample) float64 { return float64(s.P50) })),
		}
		for i, f := range []func(sample) float64{
			func(s sample) float64 { return float64(s.P50) }, func(s sample) float64 { return float64(s.P99) }, func(s sample) float64 { return float64(s.P999) },
		} {
			x.p[i] = time.Duration(over(values(s, f)).Median)
		}
		x.peak = slices.MaxFunc(s, func(a, b sample) int { return cmp.Compare(a.Peak, b.Peak) }).Peak
		x.throughput = over(values(s, func(s sample) float64 { return float64(s.Bytes) / s.Elapsed.Seconds() / (1 << 20) })).Median
		out = append(out, x)
	}
	return out
}

// each calls f for every load in the order they ran.
func (r *results) each(f func(upstream string, l load, rows []row)) {
	for _, of := range []struct {
		upstream string
		loads    []load
	}{{canned, cannedLoads}, {onMongod, mongodLoads}} {
		for _, l := range of.loads {
			if rows := r.rows(of.upstream, l.name); len(rows) > 0 {
				f(of.upstream, l, rows)
			}
		}
	}
}

// print is for a terminal of 80 columns.
func (r *results) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n%d rounds of %v; ratios are to HAProxy in the same round: median [range]\n", r.Machine, r.Rounds, r.Span)
	r.each(func(upstream string, l load, rows []row) {
		fmt.Fprintf(w, "\n%s: %s\n", upstream, l.about)
		fmt.Fprintf(w, "%-8s %9s %-17s %20s %7s %-17s\n", "", l.unit, "ratio", "p50/p99/p99.9 µs", "µs CPU", "ratio")
		for _, x := range rows {
			fmt.Fprintf(w, "%-8s %9.0f %-17s %20s %7s %-17s\n", x.target, x.rate, x.rateRatio,
				fmt.Sprintf("%d/%d/%d", x.p[0].Microseconds(), x.p[1].Microseconds(), x.p[2].Microseconds()), micros(x.cpu), x.cpuRatio)
		}
	})
	if len(r.Idle) == 0 {
		return
	}
	fmt.Fprintf(w, "\nidle connections\n%-8s %11s %10s %12s %10s\n", "", "connections", "KiB each", "descriptors", "left after")
	for _, name := range r.Targets {
		for _, i := range r.Idle[name] {
			if i.Fault != "" {
				fmt.Fprintf(w, "%-8s %11d refused\n", name, i.Connections)
				continue
			}
			fmt.Fprintf(w, "%-8s %11d %10.1f %12.2f %10d\n", name, i.Connections, i.Each/1024, i.Descriptors, i.Left)
		}
	}
}

func micros(ns float64) string {
	if ns == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", ns/1000)
}

func (s spread) String() string {
	if s.Median == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f [%.2f–%.2f]", s.Median, s.Min, s.Max)
}
