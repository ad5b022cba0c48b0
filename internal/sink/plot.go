package sink

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/store"
)

// plot is one small drawing: bars, or a line and what it is compared with. It says
// in words what it shows, and has its scales beside it as text.
type plot struct {
	Title   string // "operations, 2 s each bar"
	Words   string // all of it for who cannot see it
	Top     string // what the upper edge stands for
	From    string // and the left edge
	To      string // and the right one
	Bars    []rect
	Line    string // points of a polyline
	Dots    []dot
	Limit   string // height of the line for the limit; "" for none
	ViewBox string
}

type (
	rect struct{ X, Y, W, H string }
	dot  struct{ X, Y string }
)

// The drawings' own units: they are stretched to the place they get.
const (
	plotWidth  = 480.0
	plotHeight = 80.0
)

var viewBox = fmt.Sprintf("0 0 %g %g", plotWidth, plotHeight)

// plots draws what a finding's series has to show. Fewer than three stretches of
// time, or a handful of latencies, show nothing that the figures do not say.
func plots(s *store.Series, evidence []analysis.Evidence) []plot {
	if s == nil {
		return nil
	}
	var out []plot
	used := 0
	for _, p := range s.Points {
		if p.Count > 0 {
			used++
		}
	}
	if used >= 3 {
		out = append(out, rate(s))
		if slowest, ok := slowestPlot(s); ok {
			out = append(out, slowest)
		}
	}
	if p, ok := figurePlot(s, evidence); ok {
		out = append(out, p)
	}
	if p, ok := histogram(s); ok {
		out = append(out, p)
	}
	return out
}

// rate are the operations over time.
func rate(s *store.Series) plot {
	values := make([]float64, len(s.Points))
	total, most := int64(0), 0
	for i, p := range s.Points {
		values[i] = float64(p.Count)
		total += p.Count
		if p.Count > s.Points[most].Count {
			most = i
		}
	}
	top := s.Points[most].Count
	out := overTime(s, "Operations in each "+span(s.Width), thousands(top))
	out.Bars = bars(values)
	out.Words = fmt.Sprintf("%s from %s to %s; the most, %s in %s, at %s", plural(total, "operation"), out.From, out.To, thousands(top), span(s.Width), at(s, most))
	return out
}

// slowestPlot is the highest latency over time.
func slowestPlot(s *store.Series) (plot, bool) {
	values := make([]float64, len(s.Points))
	most := 0
	for i, p := range s.Points {
		values[i] = float64(p.Slowest)
		if p.Slowest > s.Points[most].Slowest {
			most = i
		}
	}
	top := s.Points[most].Slowest
	if top == 0 {
		return plot{}, false
	}
	out := overTime(s, "Highest latency in each "+span(s.Width), span(top))
	out.Bars = bars(values)
	out.Words = fmt.Sprintf("the highest latency in each %s from %s to %s; the highest of all, %s, at %s", span(s.Width), out.From, out.To, span(top), at(s, most))
	return out, true
}

// figurePlot is how the finding's own figure went, if it went anywhere.
func figurePlot(s *store.Series, evidence []analysis.Evidence) (plot, bool) {
	var first, last, top, limit int64
	seen, unit := 0, ""
	for _, p := range s.Points {
		if p.Value > 0 {
			if seen++; first == 0 {
				first = p.Value
			}
			last, top = p.Value, max(top, p.Value)
		}
	}
	for _, e := range evidence {
		if e.Name == s.Figure {
			limit, unit = e.Limit, e.Unit
		}
	}
	if s.Figure == "" || seen < 2 || first == top && last == top {
		return plot{}, false
	}
	name := words(s.Figure)
	if unit != "" && unit != name {
		name += " (" + unit + ")"
	}
	scale := top
	if limit > 0 && limit <= 4*top {
		scale = max(scale, limit)
	}
	out := overTime(s, "Highest "+name+" in each "+span(s.Width), thousands(scale))
	var line []string
	for i, p := range s.Points {
		if p.Value > 0 {
			d := dot{number((float64(i) + 0.5) * plotWidth / float64(len(s.Points))), number(height(float64(p.Value) / float64(scale)))}
			out.Dots = append(out.Dots, d)
			line = append(line, d.X+","+d.Y)
		}
	}
	out.Line = strings.Join(line, " ")
	out.Words = fmt.Sprintf("%s: from %s at %s to %s at %s", name, thousands(first), out.From, thousands(last), out.To)
	if limit > 0 {
		out.Words += ", limit " + thousands(limit)
		if scale >= limit {
			out.Limit = number(height(float64(limit) / float64(scale)))
			out.Title += "; dashed: the limit, " + thousands(limit)
		}
	}
	return out, true
}

// enoughLatencies and enoughBars are how many latencies, in how many bars, make a histogram worth its place.
const (
	enoughLatencies = 20
	enoughBars      = 3
)

// histogram is how many took how long.
func histogram(s *store.Series) (plot, bool) {
	values := make([]float64, len(s.Latencies))
	total, most := int64(0), 0
	for i, b := range s.Latencies {
		values[i] = float64(b.Count)
		total += b.Count
		if b.Count > s.Latencies[most].Count {
			most = i
		}
	}
	if total < enoughLatencies || len(values) < enoughBars {
		return plot{}, false
	}
	from, to := s.Latencies[0].UpTo/2, s.Latencies[len(s.Latencies)-1].UpTo
	top := s.Latencies[most]
	return plot{
		Title: "Latencies, twice as long with each bar", Top: thousands(top.Count), From: span(from), To: span(to), Bars: bars(values), ViewBox: viewBox,
		Words: fmt.Sprintf("%s took from %s to %s; the most, %s, from %s to %s", plural(total, "operation"), span(from), span(to), thousands(top.Count), span(top.UpTo/2), span(top.UpTo)),
	}, true
}

// overTime is a plot whose width is the series' time.
func overTime(s *store.Series, title, top string) plot {
	return plot{Title: title, Top: top, From: at(s, 0), To: at(s, len(s.Points)), ViewBox: viewBox}
}

// at words the beginning of a point.
func at(s *store.Series, i int) string {
	t := s.Start.Add(time.Duration(i) * s.Width)
	switch {
	case s.Width >= 24*time.Hour:
		return t.Format(time.DateOnly)
	case s.Width >= time.Minute:
		return t.Format("2006-01-02 15:04")
	case s.Width >= time.Second:
		return t.Format(time.TimeOnly)
	}
	return t.Format("15:04:05.0")
}

// bars draws values from the bottom up. What is there is seen, however small.
func bars(values []float64) []rect {
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	var out []rect
	w := plotWidth / float64(len(values))
	for i, v := range values {
		if v <= 0 || top == 0 {
			continue
		}
		y := min(height(v/top), plotHeight-1.5)
		out = append(out, rect{number(float64(i)*w + w*0.08), number(y), number(w * 0.84), number(plotHeight - y)})
	}
	return out
}

// height is where a share of the upper edge is.
func height(share float64) float64 { return 2 + (plotHeight-2)*(1-share) }

// number has two digits: enough for a drawing, and the same on every machine.
func number(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

// span words a duration with two or three digits that matter.
func span(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if d >= u.unit {
			x := float64(d) / float64(u.unit)
			if x >= 10 {
				return strconv.FormatFloat(math.Round(x), 'f', -1, 64) + " " + u.name
			}
			return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) + " " + u.name
		}
	}
	return strconv.FormatInt(d.Microseconds(), 10) + " µs"
}

// words are those of a figure's name: "days_to_16_mib" is "days to 16 mib".
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }
