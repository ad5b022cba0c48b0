package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mongoadvisor/analyzers"
	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/engine"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/sink"
	"mongoadvisor/internal/source"
	"mongoadvisor/internal/store"
	"mongoadvisor/internal/topology"
)

// config is everything that can be configured. Every flag is a key of the file,
// and every key but ignore and bounded is a flag.
type config struct {
	Listen             string `yaml:"listen"`
	Upstream           string `yaml:"upstream"`
	Topology           bool   `yaml:"topology"`
	TopologyAdvertise  string `yaml:"topology-advertise"`
	TopologyMaxMembers int    `yaml:"topology-max-members"`
	Edges              `yaml:",inline"`
	Profile            string   `yaml:"profile"`
	Rules              []string `yaml:"rules"`
	Limit              []string `yaml:"limit"`
	Format             string   `yaml:"format"`
	Output             string   `yaml:"output"`
	FailOn             string   `yaml:"fail-on"`
	Interface          string   `yaml:"interface"`
	Port               []uint   `yaml:"port"`
	VXLAN              []uint   `yaml:"vxlan"`
	Baseline           string   `yaml:"baseline"`
	WriteBaseline      string   `yaml:"write-baseline"`
	Remind             duration `yaml:"remind"`
	FixedAfter         duration `yaml:"fixed-after"`
	Web                struct {
		ListenAddress string `yaml:"listen-address"`
		Config        struct {
			File string `yaml:"file"`
		} `yaml:"config"`
		EnableLifecycle bool `yaml:"enable-lifecycle"`
	} `yaml:"web"`
	Health struct {
		ListenAddress string `yaml:"listen-address"`
	} `yaml:"health"`
	Alert struct {
		MinSeverity string `yaml:"min-severity"`
		Webhook     struct {
			URL    string `yaml:"url"`
			Secret string `yaml:"secret"`
		} `yaml:"webhook"`
		Slack struct {
			URL string `yaml:"url"`
		} `yaml:"slack"`
		Alertmanager struct {
			URL []string `yaml:"url"`
		} `yaml:"alertmanager"`
		File string `yaml:"file"`
	} `yaml:"alert"`
	Storage Storage `yaml:"storage"`
	Log     struct {
		Level  string `yaml:"level"`
		Format string `yaml:"format"`
	} `yaml:"log"`
	Metrics struct {
		MaxFindings int `yaml:"max-findings"`
	} `yaml:"metrics"`
	Shutdown struct {
		Grace duration `yaml:"grace"`
	} `yaml:"shutdown"`
	Capture struct {
		Buffer      size   `yaml:"buffer"`
		User        string `yaml:"user"`
		Promiscuous bool   `yaml:"promiscuous"`
	} `yaml:"capture"`
	Analysis struct {
		FullRate   int  `yaml:"full-rate"`
		MaxMemory  size `yaml:"max-memory"`
		MaxRequest size `yaml:"max-request"`
		MaxReply   size `yaml:"max-reply"`
	} `yaml:"analysis"`
	MemoryLimit size     `yaml:"memory-limit"`
	Ignore      []ignore `yaml:"ignore"`
	Bounded     []string `yaml:"bounded"`

	file        string // where it was read from
	kind        *kind  // of the command, when it can be made anew
	given       given  // on the command line
	profileOpen bool   // the profile may stay empty
}

// ignore is one entry that silences findings.
type ignore struct {
	Rule      string `yaml:"rule"`
	Namespace string `yaml:"namespace"`
	Shape     string `yaml:"shape"`
	Reason    string `yaml:"reason"`
	Until     string `yaml:"until"` // 2027-01-31
}

// defaults are the values in force when nothing else is said.
func defaults(profile store.Profile) *config {
	c := &config{Listen: "127.0.0.1:27217", Profile: string(profile), Remind: duration(time.Hour), FixedAfter: duration(24 * time.Hour)}
	c.Web.ListenAddress = "127.0.0.1:28217"
	c.Log.Level, c.Log.Format = "info", "json"
	c.Metrics.MaxFindings = 200
	c.Alert.MinSeverity = analysis.Medium.String()
	c.TopologyMaxMembers = topology.DefaultMax
	c.Storage.Interval, c.Storage.HistorySize = duration(30*time.Second), 16<<20
	c.Shutdown.Grace = duration(25 * time.Second)
	c.Capture.Buffer, c.Capture.User, c.Capture.Promiscuous = 64<<20, "nobody", true
	c.Analysis.FullRate, c.Analysis.MaxMemory = session.DefaultFullRate, 64<<20
	c.Analysis.MaxRequest, c.Analysis.MaxReply = session.DefaultRequestLimit, session.DefaultReplyLimit
	return c
}

// flags registers the common flags on a command that runs until it is stopped.
func (c *config) flags(f *pflag.FlagSet) {
	c.judging(f)
	c.serving(f)
	c.announcing(f)
}

// judging registers what every command takes that judges operations.
func (c *config) judging(f *pflag.FlagSet) {
	f.StringVar(&c.file, "config.file", "", "YAML file; every flag is a key of it")
	f.StringVar(&c.Profile, "profile", c.Profile, "report floors: "+strings.Join(store.Profiles, ", "))
	f.StringSliceVar(&c.Rules, "rules", nil, "rules to change (+ID, -ID) or, without a sign, the only ones to run")
	f.StringSliceVar(&c.Limit, "limit", nil, "limits of rules, as W01.growth-pushes=50")
	f.StringVar(&c.Baseline, "baseline", "", "file of findings that are known: they are muted unless they get worse")
	f.StringVar(&c.WriteBaseline, "write-baseline", "", "file to write the findings to at the end, as a baseline")
	f.StringVar(&c.Log.Level, "log.level", c.Log.Level, "debug, info, warn or error")
	f.StringVar(&c.Log.Format, "log.format", c.Log.Format, "json or console")
	f.Var(&c.MemoryLimit, "memory-limit", "memory of the whole process that is not to be exceeded; 0 for none, or what GOMEMLIMIT says")
}

// captured registers what commands take that read packets.
func (c *config) captured(f *pflag.FlagSet, ports string) {
	f.UintSliceVar(&c.Port, "port", nil, "ports of the servers ("+ports+")")
	f.UintSliceVar(&c.VXLAN, "vxlan", nil, "UDP ports of VXLAN tunnels with mirrored traffic (default 4789)")
	for _, name := range []string{"port", "vxlan"} {
		f.Lookup(name).DefValue = "" // or the help text says []
	}
}

// serving registers what commands take that log findings and serve metrics.
func (c *config) serving(f *pflag.FlagSet) {
	f.Var(&c.Remind, "remind", "least time between two log records of one finding")
	f.Var(&c.FixedAfter, "fixed-after", "how long a finding must not be seen, while its collection is used, until it is fixed")
	f.StringVar(&c.Web.ListenAddress, "web.listen-address", c.Web.ListenAddress, "metrics, health and API; empty for none")
	f.StringVar(&c.Web.Config.File, "web.config.file", "", "TLS and authentication of the web endpoint (Prometheus exporter-toolkit format)")
	f.StringVar(&c.Health.ListenAddress, "health.listen-address", "", "plain listener for probes only; empty for none")
	f.IntVar(&c.Metrics.MaxFindings, "metrics.max-findings", c.Metrics.MaxFindings, "findings with a metric series of their own")
	f.IntVar(&c.Analysis.FullRate, "analysis.full-rate", c.Analysis.FullRate, "reads and writes of each second that all rules see; of the others the shape is counted. 0 for no limit")
	f.Var(&c.Analysis.MaxMemory, "analysis.max-memory", "bytes of messages kept for analysis; beyond it messages are passed on unjudged and counted")
	f.Var(&c.Analysis.MaxRequest, "analysis.max-request", "bytes kept of one request")
	f.Var(&c.Analysis.MaxReply, "analysis.max-reply", "bytes kept of one reply")
}

// announcing registers what commands take whose findings go to somebody, or are kept.
func (c *config) announcing(f *pflag.FlagSet) {
	f.StringVar(&c.Alert.MinSeverity, "alert.min-severity", c.Alert.MinSeverity, "severity from which findings go to receivers and file; the log has all")
	f.StringVar(&c.Alert.Webhook.URL, "alert.webhook.url", "", "address that findings are posted to; empty for none. It may hold a token: better from the environment or its _FILE")
	f.StringVar(&c.Alert.Webhook.Secret, "alert.webhook.secret", "", "secret the posts are signed with: from the environment or its _FILE, for a flag can be seen by everybody on the machine")
	f.StringVar(&c.Alert.Slack.URL, "alert.slack.url", "", "incoming webhook of Slack, or of what takes the same; empty for none. It is a secret: better from the environment or its _FILE")
	f.StringSliceVar(&c.Alert.Alertmanager.URL, "alert.alertmanager.url", nil, "Alertmanagers that have an alert for each open finding, as http://127.0.0.1:9093")
	f.StringVar(&c.Alert.File, "alert.file", "", "file that findings are appended to as lines of JSON; empty for none")
	c.Storage.flags(f)
}

// load completes a configuration: flag over environment over file over default.
// c holds the defaults with the flags of cmd registered on it, already parsed.
func (c *config) load(cmd *cobra.Command) error {
	c.given = givenBy(cmd.Flags())
	return c.complete(cmd.Flags())
}

// given are the flags of a command line.
type given struct {
	set   map[string]string
	lists map[string][]string
}

func givenBy(f *pflag.FlagSet) given {
	g := given{map[string]string{}, map[string][]string{}}
	f.Visit(func(x *pflag.Flag) {
		if v, ok := x.Value.(pflag.SliceValue); ok {
			g.lists[x.Name] = v.GetSlice()
		} else {
			g.set[x.Name] = x.Value.String()
		}
	})
	return g
}

// complete is load for flags that need not be those of a command: c holds the defaults
// with f registered on it.
func (c *config) complete(f *pflag.FlagSet) error {
	if file, ok := c.given.set["config.file"]; ok {
		c.file = file
	} else if err := fromEnv(f, "config.file"); err != nil {
		return err
	}
	if err := c.read(); err != nil {
		return err
	}
	var names []string
	f.VisitAll(func(x *pflag.Flag) {
		if x.Annotations[notFromEnv] == nil {
			names = append(names, x.Name)
		}
	})
	if err := fromEnv(f, names...); err != nil {
		return err
	}
	for name, value := range c.given.set {
		if f.Lookup(name) == nil {
			continue // of the command, and no key
		}
		if err := f.Set(name, value); err != nil {
			return flagError(err)
		}
	}
	for name, values := range c.given.lists {
		x := f.Lookup(name)
		if x == nil {
			continue
		}
		if err := x.Value.(pflag.SliceValue).Replace(values); err != nil {
			return usage("--%s: %w", name, err)
		}
	}
	return c.located(c.check())
}

// notFromEnv marks a flag whose variable means something else.
const notFromEnv = "not from the environment"

// read takes the file's values; unknown keys are errors with line and caret.
func (c *config) read() error {
	if c.file == "" {
		return nil
	}
	raw, err := configText(c.file)
	if err != nil {
		return err
	}
	before := *c
	if err := decodeConfig(raw, c); err != nil {
		return usage("config.file %s:\n%w", before.file, err)
	}
	if c.Log.Level == "" && c.file == "" { // a file of comments only: the decoder cleared everything
		*c = before
	}
	return nil
}

// fromEnv sets flags from MONGOADVISOR_WEB_LISTEN_ADDRESS and the like, or from
// the file that …_FILE names. A flag that was given wins later.
func fromEnv(f *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		key := envName(name)
		value, ok := os.LookupEnv(key)
		said := fmt.Sprintf("%s %q", key, value)
		if path, fromFile := os.LookupEnv(key + "_FILE"); fromFile && !ok {
			raw, err := os.ReadFile(path)
			if err != nil {
				return usage("%s_FILE %q: %w; it names the file that has the value", key, path, trouble(err))
			}
			value, ok = strings.TrimSpace(string(raw)), true
			said = fmt.Sprintf("%s_FILE %q", key, path) // what is in it is nobody's business
		}
		if !ok || f.Lookup(name) == nil {
			continue
		}
		var err error
		if v, isList := f.Lookup(name).Value.(pflag.SliceValue); isList {
			err = v.Replace(strings.FieldsFunc(value, func(r rune) bool { return r == ',' }))
		} else {
			err = f.Set(name, value)
		}
		if err != nil {
			return usage("%s: want %s", said, wanted(f.Lookup(name)))
		}
	}
	return nil
}

// envName is the environment variable of a flag.
func envName(flag string) string {
	return "MONGOADVISOR_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(flag))
}

// check finds what is wrong before anything is started.
func (c *config) check() error {
	rules := analyzers.All()
	if _, err := store.ParseProfile(c.Profile); err != nil && !(c.profileOpen && c.Profile == "") {
		return usage("%w", err)
	}
	if _, err := engine.Select(rules, c.Rules); err != nil {
		return usage("%w", err)
	}
	if _, err := engine.ParseLimits(rules, c.Limit); err != nil {
		return usage("%w", err)
	}
	if _, err := c.ignores(); err != nil {
		return usage("%w", err)
	}
	if c.Format == "" {
		c.Format = formatOf(c.Output)
	}
	if !slices.Contains(sink.Formats, c.Format) {
		return usage("format %q: want one of %s", c.Format, strings.Join(sink.Formats, ", "))
	}
	if !slices.Contains([]string{"json", "console"}, c.Log.Format) {
		return usage("log.format %q: want json or console", c.Log.Format)
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, c.Log.Level) {
		return usage("log.level %q: want debug, info, warn or error", c.Log.Level)
	}
	if err := c.Edges.check(); err != nil {
		return err
	}
	if c.FailOn != "" {
		if _, err := analysis.ParseSeverity(c.FailOn); err != nil {
			return usage("fail-on: %w", err)
		}
	}
	if _, err := c.alerts(nil); err != nil {
		return err
	}
	if err := c.Storage.check(); err != nil {
		return err
	}
	for name, ports := range map[string][]uint{"port": c.Port, "vxlan": c.VXLAN} {
		for _, port := range ports {
			if port == 0 || port > 65535 {
				return usage("%s %d: want a port, 1 to 65535", name, port)
			}
		}
	}
	if c.TopologyAdvertise != "" && !c.Topology {
		return usage("topology-advertise says where the listeners of --topology are reached: give both, or none")
	}
	if c.TopologyMaxMembers < 1 || c.TopologyMaxMembers > 50 {
		return usage("topology-max-members %d: want 1 to 50", c.TopologyMaxMembers)
	}
	if c.Capture.Buffer < 2<<20 || c.Capture.Buffer > 1<<30 {
		return usage("capture.buffer %s: want 2MiB to 1GiB", c.Capture.Buffer.String())
	}
	if c.Output == source.Stdin {
		return usage("output -: leave it out for standard output")
	}
	if c.FixedAfter == 0 {
		return usage("fixed-after 0s: want more; what was seen a moment ago is not fixed")
	}
	if c.Metrics.MaxFindings < 0 {
		return usage("metrics.max-findings %d: want 0 or more", c.Metrics.MaxFindings)
	}
	if c.Analysis.FullRate < 0 || c.Analysis.FullRate > maxFullRate {
		return usage("analysis.full-rate %d: want 0 to %d", c.Analysis.FullRate, maxFullRate)
	}
	if c.MemoryLimit != 0 && c.MemoryLimit < 32<<20 {
		return usage("memory-limit %s: want 32MiB or more, or 0 for none", c.MemoryLimit.String())
	}
	if c.Analysis.MaxMemory < 1<<20 || c.Analysis.MaxRequest < 1<<10 || c.Analysis.MaxReply < 1<<10 {
		return usage("analysis: max-memory must be 1MiB or more, max-request and max-reply 1KiB or more")
	}
	return nil
}

// limitMemory puts the limit of the process's memory in force.
func (c *config) limitMemory() {
	if c.MemoryLimit > 0 {
		debug.SetMemoryLimit(int64(c.MemoryLimit))
	}
}

// messageMemory is what messages may take, in bytes: a quarter of the process's
// limit at most. It puts the limit in force.
func (c *config) messageMemory() int64 {
	c.limitMemory()
	return min(int64(c.Analysis.MaxMemory), debug.SetMemoryLimit(-1)/4)
}

// maxFullRate is more than any machine judges.
const maxFullRate = 10_000_000

func (c *config) ignores() ([]engine.Ignore, error) {
	known := map[string]bool{}
	for _, a := range analyzers.All() {
		known[a.ID] = true
	}
	var out []engine.Ignore
	for i, e := range c.Ignore {
		if !known[e.Rule] {
			return nil, fmt.Errorf("ignore[%d].rule %q: want the ID of a rule, as `mongoadvisor rules` lists them", i, e.Rule)
		}
		if e.Reason == "" {
			return nil, fmt.Errorf("ignore[%d].reason: want a reason; somebody will ask for it", i)
		}
		ig := engine.Ignore{Rule: e.Rule, Namespace: e.Namespace, Shape: e.Shape, Reason: e.Reason}
		if e.Until != "" {
			day, err := time.Parse(time.DateOnly, e.Until)
			if err != nil {
				return nil, fmt.Errorf("ignore[%d].until %q: want a date such as 2027-01-31", i, e.Until)
			}
			ig.Until = day.AddDate(0, 0, 1) // to the end of that day, UTC
		}
		out = append(out, ig)
	}
	return out, nil
}
