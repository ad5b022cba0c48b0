package analyzers

import (
	"strings"
	"time"
	"unicode"

	"mongoadvisor/internal/analysis"
	"mongoadvisor/internal/op"
	"mongoadvisor/internal/sketch"
)

func indexDDLOnHotPath() *analysis.Analyzer {
	return &analysis.Analyzer{
		ID: "I05", Name: "index-ddl-on-hot-path", Since: "0.2.0", Severity: analysis.Medium, Off: true,
		Title:    "Applications that create or list indexes and collections while they work",
		Commands: []string{"createIndexes", "create", "collMod", "listIndexes", "listCollections"}, Run: runIndexDDLOnHotPath,
		State: &analysis.StateSpec{Scope: analysis.ScopeClient, New: func() any { return newDDL() }},
		Reasons: []analysis.Reason{
			{Name: "indexes", Doc: "createIndexes again and again"},
			{Name: "collections", Doc: "create or collMod again and again"},
			{Name: "lists", Doc: "listIndexes or listCollections again and again"},
		},
		Limits: []analysis.Limit{
			{Name: "commands", Default: 10, Unit: "commands an hour", Doc: "the same command on the same collection, from one instance of an application, from which it is reported"},
		},
		Doc: analysis.Doc{
			What:   "`createIndexes`, `create`, `collMod`, `listIndexes` and `listCollections` that one instance of an application (its name and host) sends again and again. Each beyond the limit counts.",
			Why:    "An index that is there already costs a round trip and locks for a moment; one that is not is built while the application works, on every member, and the first instance of a new version starts it for all. Lists are read from the catalogue of the server, collection by collection.",
			Fix:    "Create collections and indexes in a step of the deployment, once. In Mongoose, set `autoIndex: false` (and `autoCreate: false`) in production.",
			Guards: "Off by default: in test suites this is right. Silent for tools, for applications that say they migrate or set up, and below ten an hour: each start of an application may do it once. Wrong here when many instances are started from one host.",
			Lesson: "Operational hygiene.",
		},
	}
}

// maxDDL bounds the commands that are remembered of one client.
const maxDDL = 256

type ddlKey struct {
	command string
	ns      op.Namespace
}

func newDDL() *recent[ddlKey, *sketch.Rate] {
	clone := func(k ddlKey) ddlKey { return ddlKey{k.command, cloneNS(k.ns)} }
	return newRecent(maxDDL, clone, func() *sketch.Rate { return sketch.NewRate(time.Hour) })
}

var ddlReasons = map[string][2]string{
	"createIndexes":   {"indexes", "indexes are created"},
	"create":          {"collections", "collections are created"},
	"collMod":         {"collections", "collections are changed"},
	"listIndexes":     {"lists", "indexes are listed"},
	"listCollections": {"lists", "collections are listed"},
}

func runIndexDDLOnHotPath(p *analysis.Pass) {
	o := p.Op
	if o.NS.Internal() || migrating(o.Conn) {
		return
	}
	n := p.State().(*recent[ddlKey, *sketch.Rate]).at(ddlKey{o.Command, o.NS}).Add(p.Now, 1)
	if n < p.Limit("commands") {
		return
	}
	texts := ddlReasons[o.Command]
	f := analysis.Finding{
		Reason: texts[0], NS: o.NS, Shape: op.TextShape("{command: " + o.Command + "}"), Fields: []string{}, Confidence: analysis.Observed,
		Message: texts[1] + " again and again by an application at work",
		Advice:  "What has to be done once per deployment is done by every instance, or at every request.",
		Caveat:  "many instances may have been started from one host",
		Fix:     analysis.Fix{Text: "Do it in a step of the deployment. With Mongoose: autoIndex: false and autoCreate: false in production."},
		Evidence: []analysis.Evidence{
			{Name: "last_hour", Value: n, Limit: p.Limit("commands"), Unit: "commands"},
		},
	}
	if o.NS.Coll != "" {
		f.Fix.Mongosh = coll(o.NS) + ".getIndexes()"
	}
	if keys := ddlIndex(o); keys != "" {
		f.Fix.Mongosh = coll(o.NS) + ".createIndex(" + keys + ")"
	}
	p.Report(f)
}

// ddlIndex writes the keys of the first index that is created.
func ddlIndex(o *op.Operation) string {
	docs := op.Docs(op.Get(o.Body, "indexes"))
	if len(docs) == 0 {
		return ""
	}
	ix, ok := op.ParseIndex(docs[0])
	if !ok {
		return ""
	}
	var parts []string
	for _, k := range ix.Keys {
		path := indexable(op.Path(k.Path))
		if path == "" || k.Kind != "1" && k.Kind != "-1" {
			return ""
		}
		parts = append(parts, field(path)+": "+k.Kind)
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// migrating reports whether an application's name says that it sets databases up.
func migrating(c *op.Conn) bool {
	if c == nil {
		return false
	}
	letters := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, word := range strings.FieldsFunc(strings.ToLower(c.App+" "+c.Driver), letters) {
		switch word {
		case "migrate", "migration", "migrations", "migrator", "setup", "deploy", "mongock", "liquibase", "flyway", "seed":
			return true
		}
	}
	return false
}
