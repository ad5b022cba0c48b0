package shared

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"mongoadvisor/internal/store"
)

// DefaultDatabase is where findings are when the connection string names none.
const DefaultDatabase = "mongoadvisor"

// Bounds of one command, and of finding a server.
const (
	commandTimeout   = 10 * time.Second
	selectionTimeout = 5 * time.Second
)

// Client is one process's way to a shared store. Not safe for concurrent use.
type Client struct {
	client *mongo.Client
	db     *mongo.Database
	id     string // of this process

	// LeftOut is how many findings of the last reading are none, or had no room.
	LeftOut int

	serial  int64
	flight  *flight // written, and not known to have arrived; nil: nothing is
	ready   bool    // indexes are there, and all was read once
	since   time.Time
	spaces  time.Time       // the same of namespaces
	created map[string]bool // namespaces known to be there
}

// Check checks a connection string. It asks nobody, not even for the servers of one
// with mongodb+srv://: the names may be away at the time.
func Check(uri string) error {
	if _, err := databaseOf(uri); err != nil {
		return err
	}
	if rest, srv := strings.CutPrefix(uri, "mongodb+srv://"); srv {
		hosts, _, _ := strings.Cut(rest[strings.LastIndex(rest, "@")+1:], "?")
		hosts, _, _ = strings.Cut(hosts, "/")
		if hosts == "" || strings.ContainsAny(hosts, ",:") {
			return errors.New("mongodb+srv:// takes one host without a port")
		}
		uri = "mongodb://" + ofLookup.ReplaceAllString(rest, "$1")
	}
	return unsaid(options.Client().ApplyURI(uri).Validate(), uri)
}

// ofLookup are options that only mongodb+srv:// has.
var ofLookup = regexp.MustCompile(`(?i)([?&])srv(?:ServiceName|MaxHosts)=[^&]*`)

// Connect makes a client. It reaches no server yet, but looks up those of mongodb+srv://,
// which takes as long as the system's resolver does.
func Connect(uri string) (*Client, error) {
	database, err := databaseOf(uri)
	if err != nil {
		return nil, err
	}
	o := options.Client().ApplyURI(uri).SetAppName("mongoadvisor").SetTimeout(commandTimeout).
		SetServerSelectionTimeout(selectionTimeout).SetMaxPoolSize(2)
	if err := o.Validate(); err != nil {
		return nil, unsaid(err, uri)
	}
	client, err := mongo.Connect(o)
	if err != nil {
		return nil, unsaid(err, uri)
	}
	id := make([]byte, 6)
	_, _ = rand.Read(id) // never fails
	return &Client{client: client, db: client.Database(database), id: hex.EncodeToString(id), created: map[string]bool{}}, nil
}

// databaseOf is the database that a connection string names.
func databaseOf(uri string) (string, error) {
	_, rest, ok := strings.Cut(uri, "://")
	if !ok {
		return "", errors.New("want a connection string as mongodb://host:port/database")
	}
	rest, _, _ = strings.Cut(rest, "?")
	_, name, _ := strings.Cut(rest, "/")
	name, err := url.PathUnescape(name)
	switch {
	case err != nil || strings.ContainsAny(name, "/\\. \"$"):
		return "", errors.New("the connection string's database is no name of one")
	case name == "admin" || name == "local" || name == "config":
		return "", errors.New("database " + name + " is the server's own: name another; a user is looked up in authSource=" + name)
	case name == "":
		return DefaultDatabase, nil
	}
	return name, nil
}

// errUnsaid stands for an error that repeats a part of what may be a password.
var errUnsaid = errors.New("the connection string has an error, which is not repeated here, for a password may be part of it; in user and password, @ : / ? # & and % are written as %40, %3A and so on")

// unsaid is err, unless it quotes something of the user and the password: with one
// that is not escaped, the driver takes parts of it for hosts and options.
func unsaid(err error, uri string) error {
	if err == nil {
		return nil
	}
	_, rest, _ := strings.Cut(uri, "://")
	if !strings.Contains(rest, "@") && strings.Contains(err.Error(), "port") && strings.Contains(rest, ":") {
		return errUnsaid // what stands behind the colon may be one whose @host is missing
	}
	for part := range strings.FieldsFuncSeq(rest[:max(strings.LastIndex(rest, "@"), 0)], func(r rune) bool { return strings.ContainsRune(":/?#&=@%,", r) }) {
		if len(part) > 2 && strings.Contains(err.Error(), part) {
			return errUnsaid
		}
	}
	return err
}

// Close ends the connections.
func (c *Client) Close(ctx context.Context) error { return c.client.Disconnect(ctx) }

// Sync writes what a store has seen since the last time, and puts in what the others
// have. After an error everything is kept for the next time.
func (c *Client) Sync(ctx context.Context, s *store.Store, self Process) (err error) {
	defer func() { err = worded(err) }()
	if !c.ready {
		if err := c.start(ctx, s); err != nil {
			return err
		}
	}
	if err := c.push(ctx, s); err != nil {
		return err
	}
	if err := c.sign(ctx, self); err != nil {
		return err
	}
	return c.pull(ctx, s)
}

// forgotten is after how long a process that writes no more is forgotten.
const forgotten = 30 * 24 * time.Hour

// start makes the indexes, and reads all there is before anything is written.
func (c *Client) start(ctx context.Context, s *store.Store) error {
	index := mongo.IndexModel{Keys: bson.D{{Key: "updated", Value: 1}}}
	for _, name := range []string{findings, namespaces} {
		if _, err := c.db.Collection(name).Indexes().CreateOne(ctx, index); err != nil {
			return err
		}
	}
	index.Options = options.Index().SetExpireAfterSeconds(int32(forgotten / time.Second))
	if _, err := c.db.Collection(processes).Indexes().CreateOne(ctx, index); err != nil {
		return err
	}
	if err := c.pull(ctx, s); err != nil {
		return err
	}
	c.ready = true
	return nil
}

// The collections.
const (
	findings   = "findings"
	namespaces = "namespaces"
	processes  = "processes"
)
