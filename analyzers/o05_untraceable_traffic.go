package analyzers

import (
	"cmp"
	"net"
	"net/url"
	"strings"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
)

func untraceableTraffic() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "O05", Name: "untraceable-traffic", Since: "0.1.0", Severity: analysis.Info,
		Title:    "Traffic that cannot be attributed or read",
		Commands: append([]string{"hello", "eval", op.Notice}, filterCommands...), Run: runUntraceableTraffic,
		Reasons: []analysis.Reason{
			{Name: "no-app-name", Doc: "the handshake names no application"},
			{Name: "no-comment", Doc: "the operation has no comment (off by default, see the limit)"},
			{Name: "bypass", Doc: "the server sends clients to addresses that are not this proxy's"},
			{Name: "undecodable", Doc: "TLS, another protocol, a broken stream or an unknown compressor"},
			{Name: "legacy-opcode", Doc: "messages of the protocol before OP_MSG, which are counted and not read"},
			{Name: "deprecated-command", Doc: "mapReduce, eval or $pushAll"},
		},
		Limits: []analysis.Limit{
			{Name: "require-comment", Default: 0, Unit: "flag", Doc: "1 reports operations without a comment"},
		},
		Doc: analysis.Doc{
			What:   "What keeps advice from being attributed or complete: connections without an application name, streams that cannot be read, drivers that the server's answer sends past this proxy, commands that current servers dropped.",
			Why:    "A finding that says which service causes it is acted on; one that does not is passed around. And what was not read was not judged: a report over half of the traffic must say so.",
			Fix:    "Name the application in the connection string (`appName=checkout`), and put the route or job into `comment`. Use `directConnection=true`, or start the proxy with `--topology`, where the server advertises other addresses. Where the client speaks TLS, let the proxy end it (`--listen-tls-cert`), or let the client reach a proxy beside it in plain text, and let the proxy speak TLS to the server.",
			Guards: "Info only. `bypass` is silent for a standalone server, and harmless for clients that use directConnection=true, which cannot be seen from here.",
			Lesson: "Attribution; drivers behind a proxy.",
		},
	}
}

func runUntraceableTraffic(p *analysis.Pass) {
	switch p.Op.Command {
	case op.Notice:
		reportNotice(p)
	case "hello":
		reportHello(p)
	default:
		reportDeprecated(p)
		if p.Limit("require-comment") > 0 && p.Op.Comment == "" {
			p.Report(analysis.Finding{
				Reason: "no-comment", Message: "operation without a comment",
				Advice: "A comment such as route=/orders says which part of the program sent it.",
				Fix:    analysis.Fix{Text: "Set comment on the operation, or once in the data access layer.", Mongosh: coll(p.Op.NS) + ".find(<filter>).comment(\"route=<route>\")"},
			})
		}
	}
}

var undecodable = map[op.NoticeKind]string{
	op.NoticeTLS:        "TLS: the bytes pass, and nothing of them can be read",
	op.NoticeHTTP:       "not MongoDB: looks like HTTP",
	op.NoticeBadLength:  "a message length that MongoDB does not allow: the rest of the stream is passed on unread",
	op.NoticeCompressor: "a compressor that is not known",
	op.NoticeUnknown:    "an opcode that is not known: such messages are passed on unread",
}

func reportNotice(p *analysis.Pass) {
	if what, ok := undecodable[p.Op.Notice]; ok {
		p.Report(analysis.Finding{
			Reason: "undecodable", Shape: op.TextShape("{stream: " + string(p.Op.Notice) + "}"), Confidence: analysis.Observed,
			Message: "a connection cannot be read: " + what,
			Advice:  "What is not read is not judged; the coverage at the top of the report says how much that is.",
			Fix:     analysis.Fix{Text: "Run the proxy beside the client, connect to it without TLS, and let it speak TLS to the server (--upstream 'mongodb://<host>:27017/?tls=true'). Use the compressors snappy, zlib or zstd."},
		})
	}
	if p.Op.Notice == op.NoticeLegacyOpcode {
		p.Report(analysis.Finding{
			Reason: "legacy-opcode", Shape: op.TextShape("{stream: legacy-opcode}"), Confidence: analysis.Observed,
			Message: "messages of the protocol before OP_MSG",
			Advice:  "They are counted and not judged, and MongoDB 5.1 and later no longer take them.",
			Fix:     analysis.Fix{Text: "Update the driver: any that is supported today speaks OP_MSG."},
		})
	}
}

func reportHello(p *analysis.Pass) {
	if p.Op.Introduces && p.Op.Conn != nil && p.Op.Conn.App == "" {
		p.Report(analysis.Finding{
			Reason: "no-app-name", Shape: op.TextShape("{client: no application name}"), Confidence: analysis.Observed,
			Message: "clients connect without an application name",
			Advice:  "Findings can name the driver only, not the service.",
			Fix:     analysis.Fix{Text: "Name the application in the connection string.", Mongosh: "mongodb://<host>/?appName=<service>"},
			Caveat:  "a short-lived tool may do without",
		})
	}
	ours, others := advertised(p.Op.Hosts, p.Env.Listeners())
	if len(others) == 0 {
		return
	}
	p.Report(analysis.Finding{
		Reason: "bypass", Shape: op.TextShape("{hello: hosts}"), Confidence: analysis.Observed,
		Message: "server advertises " + strings.Join(others[:min(3, len(others))], ", ") + "; clients without directConnection=true will go round this proxy",
		Advice:  "Drivers open their pools to the addresses in the hello reply. What goes round the proxy is not seen.",
		Fix:     bypassFix(ours, others, p.Env.Listeners()),
	})
}

// bypassFix says how clients stay here. ours are the advertised members that
// have a listener already, which only --topology makes.
func bypassFix(ours, others, listeners []string) analysis.Fix {
	if len(ours) > 0 {
		return analysis.Fix{
			Text:    "The other members have a listener; the log says why these have none: a port that is taken, or --topology-max-members. Until then, stay on those that have.",
			Mongosh: "mongodb://" + reached(ours) + "/?directConnection=true",
		}
	}
	return analysis.Fix{
		Text: "Connect with directConnection=true, or start the proxy so that each member has a listener, and clients are told of those: mongoadvisor proxy --topology --upstream 'mongodb://" +
			strings.Join(others, ",") + "/'. Its log has the connection string for clients.",
		Mongosh: "mongodb://" + reached(listeners) + "/?directConnection=true",
	}
}

// reached is an address clients can use, as far as it is known in advance.
func reached(listeners []string) string {
	any := ""
	for _, l := range listeners {
		if path, ok := strings.CutPrefix(l, "unix:"); ok {
			return url.PathEscape(path)
		}
		host, port, err := net.SplitHostPort(l)
		switch ip := net.ParseIP(host); {
		case err != nil || port == "0":
		case host == "" || ip != nil && ip.IsUnspecified():
			any = "<proxy>:" + port
		default:
			return l
		}
	}
	return cmp.Or(any, "<proxy>")
}

// advertised parts the members into those that have a listener here and others.
func advertised(hosts, listeners []string) (ours, others []string) {
	if len(listeners) == 0 {
		return nil, nil
	}
	for _, h := range hosts {
		if anyEqual(h, listeners) {
			ours = append(ours, h)
		} else {
			others = append(others, h)
		}
	}
	return ours, others
}

// anyEqual compares without case; a listener without a host, or on the
// unspecified address, stands for any host with its port.
func anyEqual(host string, listeners []string) bool {
	for _, l := range listeners {
		if strings.EqualFold(host, l) {
			return true
		}
		name, port, err := net.SplitHostPort(l)
		_, hostPort, err2 := net.SplitHostPort(host)
		if ip := net.ParseIP(name); err == nil && err2 == nil && port == hostPort && (name == "" || ip != nil && ip.IsUnspecified()) {
			return true
		}
	}
	return false
}

func reportDeprecated(p *analysis.Pass) {
	name := ""
	switch p.Op.Command {
	case "mapReduce", "eval":
		name = p.Op.Command
	}
	for i := range p.Op.Statements() {
		if op.Get(p.Op.Statements()[i].Update.Operators, "$pushAll").Type != 0 {
			name = "$pushAll"
		}
	}
	if name == "" {
		return
	}
	p.Report(analysis.Finding{
		Reason: "deprecated-command", Shape: op.TextShape("{deprecated: " + name + "}"), NS: p.Op.NS,
		Message: name + " is deprecated or gone in current servers",
		Advice:  "mapReduce is deprecated since 5.0, eval is gone since 4.2, $pushAll since 3.6.",
		Fix:     analysis.Fix{Text: "Use an aggregation pipeline for mapReduce and eval, $push with $each for $pushAll."},
	})
}
