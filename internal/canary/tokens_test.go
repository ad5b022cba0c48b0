package canary

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// tokens makes literals that occur nowhere else, and remembers every text in
// which each could leave.
type tokens struct {
	rand  *rand.Rand
	texts map[string]string // text -> kind
}

func newTokens() *tokens {
	return &tokens{rand: rand.New(rand.NewPCG(1, 2)), texts: map[string]string{}}
}

func (t *tokens) note(kind string, texts ...string) {
	for _, s := range texts {
		t.texts[s] = kind
	}
}

// word is a string that looks like a plain word: only its place says that it is
// a value.
func (t *tokens) word() string {
	b := make([]byte, 14)
	for i := range b {
		b[i] = "bcdfghjklmnpqrstvwz"[t.rand.IntN(19)]
	}
	t.note("word", string(b))
	return string(b)
}

// digits are what must make a key look like data.
func (t *tokens) digits() string {
	s := fmt.Sprintf("%012d", 100_000_000_000+t.rand.Int64N(899_999_999_999))
	t.note("digits", s)
	return s
}

// key is a field name that carries a value.
func (t *tokens) key() string {
	w := "k" + t.word()[:3] + t.digits()
	t.note("key", w)
	return w
}

// sentence begins like a field path and is none.
func (t *tokens) sentence() string { return "$" + t.word() + " paid " + t.word() }

func (t *tokens) mail() string { return t.word() + "." + t.word() + "@" + t.word() + ".test" }

func (t *tokens) number() int64 {
	n := 100_000_000_000_000 + t.rand.Int64N(899_999_999_999_999)
	t.note("number", fmt.Sprint(n))
	return n
}

func (t *tokens) id() bson.ObjectID {
	var id bson.ObjectID
	for i := range id {
		id[i] = byte(t.rand.IntN(256))
	}
	t.note("id", id.Hex())
	return id
}

func (t *tokens) date() bson.DateTime {
	d := bson.DateTime(1_000_000_000_000 + t.rand.Int64N(500_000_000_000))
	t.note("date", fmt.Sprint(int64(d)), d.Time().UTC().Format("2006-01-02T15:04:05.000"))
	return d
}

func (t *tokens) binary() bson.Binary {
	b := []byte(t.word())
	t.note("binary", hex.EncodeToString(b), base64.StdEncoding.EncodeToString(b))
	return bson.Binary{Data: b}
}

// pattern is a regular expression whose literals are tokens, in every kind of
// place a pattern has.
func (t *tokens) pattern(prefix, options string) bson.Regex {
	return bson.Regex{Pattern: prefix + t.word() + "(?:" + t.word() + "|" + t.word() + ")[" + t.word() + "](?<" + t.word() + ">x)(?#" + t.word() + "){2}" + `\Q` + t.word() + `\E`, Options: options}
}

// any is a value of each type, all of them tokens.
func (t *tokens) any() bson.D {
	return bson.D{
		{Key: "s", Value: t.word()},
		{Key: "n", Value: t.number()},
		{Key: "f", Value: float64(t.number())},
		{Key: "o", Value: t.id()},
		{Key: "d", Value: t.date()},
		{Key: "b", Value: t.binary()},
		{Key: "j", Value: bson.JavaScript(t.word())},
		{Key: "y", Value: bson.Symbol(t.word())},
		{Key: "r", Value: t.pattern("^", "i")},
		{Key: "l", Value: bson.A{t.word(), t.number(), t.mail(), t.sentence()}},
		{Key: "e", Value: bson.D{{Key: t.key(), Value: t.word()}}},
		{Key: "m", Value: t.mail()},
		{Key: "p", Value: t.sentence()},
		{Key: "u", Value: bson.Timestamp{T: uint32(t.rand.Uint32()), I: 1}},
	}
}

// finder makes a search for all tokens at once: it looks each place of a text
// up by its first bytes.
func (t *tokens) finder() func(text string) [][2]int {
	const first = 8 // no token is shorter
	starts := map[string][]string{}
	for s := range t.texts {
		starts[s[:first]] = append(starts[s[:first]], s)
	}
	return func(text string) (hits [][2]int) {
		for i := 0; i+first <= len(text); i++ {
			for _, s := range starts[text[i:i+first]] {
				if strings.HasPrefix(text[i:], s) {
					hits = append(hits, [2]int{i, i + len(s)})
				}
			}
		}
		return hits
	}
}
