package main

import (
	"bytes"
	"fmt"
)

// plotted are the loads whose CPU per operation is drawn.
var plotted = []struct{ upstream, load, title string }{
	{canned, "find32", "small find, 32 connections, upstream in memory"},
	{onMongod, "find32", "small find, 32 connections, mongod 6.0.5"},
	{onMongod, "insert32", "insert of 1 KiB, 32 connections, mongod 6.0.5"},
}

// Sizes of the plot, in pixels.
const (
	plotWidth = 720
	barHeight = 18
	barStep   = 26
	barLeft   = 90
	barRight  = 190 // room for the text after the longest bar
)

// plot draws bars of CPU per operation by target, with the range of rounds.
func (r *results) plot() []byte {
	var body bytes.Buffer
	y := 34
	for _, p := range plotted {
		samples := r.Samples[p.upstream][p.load]
		longest := 0.0
		for _, name := range r.Targets {
			longest = max(longest, over(values(samples[name], sample.perOp)).Max)
		}
		if longest == 0 {
			continue
		}
		fmt.Fprintf(&body, "<text x=\"8\" y=\"%d\" class=\"title\">%s</text>\n", y, p.title)
		y += 12
		for _, name := range r.Targets {
			s := over(values(samples[name], sample.perOp))
			if s.Median == 0 {
				continue
			}
			width := func(v float64) float64 { return v / longest * (plotWidth - barLeft - barRight) }
			ratio := over(ratios(samples[name], samples["haproxy"], sample.perOp))
			fmt.Fprintf(&body, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", barLeft-8, y+13, name)
			fmt.Fprintf(&body, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>\n", barLeft, y, width(s.Median), barHeight, kind(name))
			fmt.Fprintf(&body, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", barLeft+width(s.Min), y+barHeight/2, barLeft+width(s.Max), y+barHeight/2)
			fmt.Fprintf(&body, "<text x=\"%.1f\" y=\"%d\">%s µs, %.2f × HAProxy</text>\n", barLeft+width(s.Max)+6, y+13, micros(s.Median), ratio.Median)
			y += barStep
		}
		y += 30
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-label=\"CPU per operation of the forwarder\">\n", plotWidth, y, plotWidth)
	b.WriteString(plotStyle)
	b.WriteString("<text x=\"8\" y=\"14\">CPU per operation of the forwarder's process: median, and range over rounds</text>\n")
	b.Write(body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// kind is the class of a bar.
func kind(target string) string {
	switch target {
	case "off", "on", "tls":
		return "ours"
	}
	return "other"
}

const plotStyle = `<style>
text { font: 12px system-ui, sans-serif; fill: #333 }
.title { font-weight: 600 }
line { stroke: #333; stroke-width: 1.5 }
.ours { fill: #13aa52 }
.other { fill: #9aa5ad }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd }
  line { stroke: #ddd }
}
</style>
`
