package web

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/store"
)

const namespace = "mongoadvisor"

// Label values of directions.
const (
	toServer = "client_to_server"
	toClient = "server_to_client"
)

// Metrics are the metrics a process counts itself. What the packages count on
// their own is read at each scrape through Sources.
type Metrics struct {
	registry    *prometheus.Registry
	Connections prometheus.Counter
	Open        prometheus.Gauge
	toServer    prometheus.Counter
	toClient    prometheus.Counter
	upstreamUp  *prometheus.GaugeVec
	tapPanics   prometheus.Counter
	refused     *prometheus.CounterVec
	commands    map[string]prometheus.Counter
	durations   map[string]prometheus.Observer
}

// NewMetrics makes a registry with everything that is known in advance at 0.
func NewMetrics(version, revision string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), commands: map[string]prometheus.Counter{}, durations: map[string]prometheus.Observer{}}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "Always 1; the labels say what runs.",
	}, []string{"version", "revision"})
	info.WithLabelValues(version, revision).Set(1)
	m.Connections = prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "connections_total", Help: "Client connections that were forwarded to an upstream."})
	m.Open = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: "connections", Help: "Client connections that are open."})
	bytes := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "forwarded_bytes_total", Help: "Bytes passed on, by direction."}, []string{"direction"})
	m.toServer, m.toClient = bytes.WithLabelValues(toServer), bytes.WithLabelValues(toClient)
	m.upstreamUp = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "upstream_up", Help: "1 when the last connection to the upstream of a listener could be opened, 0 when not."}, []string{"listener"})
	m.tapPanics = prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "tap_panics_total", Help: "Connections whose analysis was dropped after a panic; they were forwarded on."})
	m.refused = prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "refused_connections_total", Help: "Client connections that were closed unserved, by reason."}, []string{"reason"})
	commands := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: "commands_total", Help: "Commands seen, by name; unknown names count as other."}, []string{"command"})
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: "command_duration_seconds",
		Help:    "Time from a command's last byte to its reply's last byte, as the proxy saw it.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}, NativeHistogramBucketFactor: 1.1,
		NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}, []string{"command"})
	for _, name := range op.CommandNames() {
		m.commands[name] = commands.WithLabelValues(name)
		m.durations[name] = durations.WithLabelValues(name)
	}
	m.registry.MustRegister(info, m.Connections, m.Open, bytes, m.upstreamUp, m.tapPanics, m.refused, commands, durations)
	return m
}

// Registry is what /metrics serves.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// Forwarded counts bytes passed on.
func (m *Metrics) Forwarded(clientToServer bool, n int) {
	if clientToServer {
		m.toServer.Add(float64(n))
	} else {
		m.toClient.Add(float64(n))
	}
}

// UpstreamUp notes whether an upstream could be reached.
func (m *Metrics) UpstreamUp(listener string, up bool) {
	m.upstreamUp.WithLabelValues(listener).Set(one(up))
}

// one is 1 for yes, else 0.
func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Refusable makes the series of a reason, at 0.
func (m *Metrics) Refusable(reason string) { m.refused.WithLabelValues(reason) }

// Refused counts a connection that was closed unserved.
func (m *Metrics) Refused(reason string) { m.refused.WithLabelValues(reason).Inc() }

// TapPanic counts a connection that is no longer analysed.
func (m *Metrics) TapPanic() { m.tapPanics.Inc() }

// Command counts one operation, and those of its shape that it stands for.
func (m *Metrics) Command(o *op.Operation) {
	if c := m.commands[o.Command]; c != nil {
		c.Add(float64(o.Sample.Count()))
	}
	if d := m.durations[o.Command]; d != nil && o.Latency > 0 {
		d.Observe(o.Latency.Seconds())
	}
}

// Sources are read at each scrape.
type Sources struct {
	Rules       func() []*analysis.Analyzer // that run or have run
	Coverage    func() op.Coverage
	Messages    func(each func(direction, opcode string, n int64))
	Undecoded   func(each func(reason string, n int64))
	Shed        func(each func(reason string, n int64))
	Recognised  func() int64
	SampleRate  func() float64
	Dropped     func(each func(what string, n int64))
	QueueBytes  func() int64
	Findings    func() []store.Entry
	Occurrences func() map[store.Occurrence]int64
	Untracked   func() int64
	RuleWork    func(each func(rule string, panics int64, seconds float64))
	Notified    func(each func(sink, outcome string, n int64))
	// Config tells whether the configuration in force is the one last read, and when it
	// was read.
	Config func() (inForce bool, read time.Time)

	Topology Topology

	// Storage is what became of keeping findings: whether the last time went well, how
	// often it did and did not, and when it last did; zero: never.
	Storage func() (ok bool, saved, failed int64, last time.Time)

	// MaxFindings bounds the findings with a series of their own.
	MaxFindings int
}

// Topology counts what --topology does; without it all is 0. Each calls its
// argument for every value of a closed set.
type Topology struct {
	Members     func(each func(state string, n int))
	Events      func(each func(event string, n int64))
	Messages    func(each func(outcome string, n int64))
	Connections func(each func(reason string, n int64))
}

// Watch registers the sources.
func (m *Metrics) Watch(s Sources) { m.registry.MustRegister(&sources{s}) }

// sources is a collector over Sources.
type sources struct{ Sources }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

var (
	messagesDesc    = desc("messages_total", "Messages seen, by direction and opcode.", "direction", "opcode")
	undecodedDesc   = desc("undecoded_messages_total", "Messages that were passed on and not understood, by reason.", "reason")
	shedDesc        = desc("shed_messages_total", "Messages that were passed on and dropped before analysis, by reason.", "reason")
	droppedDesc     = desc("dropped_total", "Other things that were forgotten or left out for want of room: cursor, rule_state, log_line.", "what")
	recognisedDesc  = desc("recognised_operations_total", "Reads and writes of which the shape was counted and no more, because more came than are decoded.")
	sampleDesc      = desc("sample_rate", "Share of the reads and writes that all rules saw in the last second, 0 to 1.")
	coverageDesc    = desc("coverage_ratio", "Share of the traffic that was understood, 0 to 1.")
	queueDesc       = desc("analysis_queue_bytes", "Bytes of messages that wait for analysis.")
	findingsDesc    = desc("findings", "Findings that are reported, by rule, severity and status.", "rule", "severity", "status")
	occurrencesDesc = desc("finding_occurrences_total", "Operations a rule spoke of, below its floor included.", "rule", "severity")
	panicsDesc      = desc("rule_panics_total", "Panics of a rule; each cost the rule one operation.", "rule")
	secondsDesc     = desc("rule_seconds_total", "Time spent in a rule, estimated from a sample.", "rule")
	notifiedDesc    = desc("notifications_total", "Findings handed to a sink, by outcome.", "sink", "outcome")
	activeDesc      = desc("finding_active", "1 for each open finding, 2 for each that came back after it was fixed.", "fingerprint", "rule", "severity", "database", "collection")
	untrackedDesc   = desc("findings_untracked", "Findings without a series or an entry of their own, for want of room.")
	reloadDesc      = desc("config_last_reload_successful", "1 when the configuration in force is the one last read.")
	membersDesc     = desc("topology_members", "Members of the replica set, by state: listening, without_listener, left.", "state")
	memberEventDesc = desc("topology_events_total", "What happened to members, by event.", "event")
	renamedDesc     = desc("topology_messages_total", "Messages that may name members, by what became of them; only rewritten ones were changed.", "outcome")
	unreadDesc      = desc("topology_unread_connections_total", "Connections in which no name is rewritten, by reason.", "reason")
	savedDesc       = desc("storage_saves_total", "Times findings were kept in --storage.path or --storage.uri, by outcome: success, failure.", "outcome")
	saveOKDesc      = desc("storage_last_save_successful", "0 when findings could not be kept the last time; 1 without a storage.")
	saveTimeDesc    = desc("storage_last_save_success_timestamp_seconds", "When findings were last kept; 0 for never.")
	packetsDesc     = desc("capture_packets_total", "Packets captured.")
	dropsDesc       = desc("capture_drops_total", "Packets that the kernel dropped for want of room before they could be read.")
	lostDesc        = desc("capture_lost_bytes_total", "Bytes of connections that are missing between the captured packets.")
	resyncsDesc     = desc("capture_resyncs_total", "Times a connection was read on from the next message behind missing bytes.")
	reloadTimeDesc  = desc("config_last_reload_success_timestamp_seconds", "When the configuration in force was read.")
)

// Describe implements prometheus.Collector.
func (s *sources) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		messagesDesc, undecodedDesc, shedDesc, recognisedDesc, sampleDesc, droppedDesc, coverageDesc, queueDesc, findingsDesc, occurrencesDesc, panicsDesc,
		secondsDesc, notifiedDesc, activeDesc, untrackedDesc, reloadDesc, reloadTimeDesc,
		membersDesc, memberEventDesc, renamedDesc, unreadDesc, packetsDesc, dropsDesc, lostDesc, resyncsDesc,
		savedDesc, saveOKDesc, saveTimeDesc,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (s *sources) Collect(ch chan<- prometheus.Metric) {
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	s.Messages(func(direction, opcode string, n int64) { counter(messagesDesc, float64(n), direction, opcode) })
	s.Undecoded(func(reason string, n int64) { counter(undecodedDesc, float64(n), reason) })
	s.Shed(func(reason string, n int64) { counter(shedDesc, float64(n), reason) })
	s.Dropped(func(what string, n int64) { counter(droppedDesc, float64(n), what) })
	s.RuleWork(func(rule string, panics int64, seconds float64) {
		counter(panicsDesc, float64(panics), rule)
		counter(secondsDesc, seconds, rule)
	})
	s.Notified(func(sink, outcome string, n int64) { counter(notifiedDesc, float64(n), sink, outcome) })
	s.Topology.Members(func(state string, n int) { gauge(membersDesc, float64(n), state) })
	s.Topology.Events(func(event string, n int64) { counter(memberEventDesc, float64(n), event) })
	s.Topology.Messages(func(outcome string, n int64) { counter(renamedDesc, float64(n), outcome) })
	s.Topology.Connections(func(reason string, n int64) { counter(unreadDesc, float64(n), reason) })
	counter(recognisedDesc, float64(s.Recognised()))
	gauge(sampleDesc, s.SampleRate())
	c := s.Coverage()
	gauge(coverageDesc, c.Ratio)
	p := c.Packets
	if p == nil { // not a capture
		p = &op.PacketCoverage{}
	}
	counter(packetsDesc, float64(p.Packets))
	counter(dropsDesc, float64(p.Dropped))
	counter(lostDesc, float64(p.LostBytes))
	counter(resyncsDesc, float64(p.Resyncs))
	gauge(queueDesc, float64(s.QueueBytes()))
	inForce, read := s.Config()
	gauge(reloadDesc, one(inForce))
	gauge(reloadTimeDesc, float64(read.Unix()))
	s.storage(counter, gauge)
	s.occurrences(counter)
	s.findings(gauge)
}

func (s *sources) storage(counter, gauge func(*prometheus.Desc, float64, ...string)) {
	ok, saved, failed, last := s.Storage()
	counter(savedDesc, float64(saved), "success")
	counter(savedDesc, float64(failed), "failure")
	gauge(saveOKDesc, map[bool]float64{true: 1}[ok])
	at := 0.0
	if !last.IsZero() {
		at = float64(last.Unix())
	}
	gauge(saveTimeDesc, at)
}

func (s *sources) occurrences(counter func(*prometheus.Desc, float64, ...string)) {
	seen := s.Occurrences()
	for _, r := range s.Rules() {
		for _, name := range analysis.Severities() {
			severity, _ := analysis.ParseSeverity(name)
			counter(occurrencesDesc, float64(seen[store.Occurrence{Rule: r.ID, Severity: severity}]), r.ID, name)
		}
	}
}

// findings exports every series of the closed sets, at 0 when there is none,
// and one series for each finding that needs attention, the worst first.
func (s *sources) findings(gauge func(*prometheus.Desc, float64, ...string)) {
	type key struct{ rule, severity, status string }
	counts := map[key]int{}
	active, untracked := 0, s.Untracked()
	for _, e := range s.Findings() {
		counts[key{e.Rule, e.Severity.String(), string(e.Status)}]++
		if e.Status != store.Open && e.Status != store.Regressed {
			continue
		}
		if active++; active > s.MaxFindings {
			untracked++
			continue
		}
		database, collection, _ := strings.Cut(e.Namespace, ".")
		value := 1.0
		if e.Status == store.Regressed {
			value = 2
		}
		gauge(activeDesc, value, e.Fingerprint, e.Rule, e.Severity.String(), database, collection)
	}
	for _, r := range s.Rules() {
		for _, severity := range analysis.Severities() {
			for _, status := range store.Statuses {
				gauge(findingsDesc, float64(counts[key{r.ID, severity, string(status)}]), r.ID, severity, string(status))
			}
		}
	}
	gauge(untrackedDesc, float64(untracked))
}
