package e2e

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"mongoadvisor/wire"
)

// secrets are texts that must not be found anywhere, by what they are.
type secrets map[string]string

// minSecret is the shortest text that is looked for, in bytes: a shorter one
// occurs by chance.
const minSecret = 8

// add takes a secret in every form in which it might be written down.
func (s secrets) add(what, text string) {
	b := []byte(text)
	forms := map[string]string{
		"": text, " in base64": strings.TrimRight(base64.StdEncoding.EncodeToString(b), "="), " in base64 for URLs": base64.RawURLEncoding.EncodeToString(b),
		" in hexadecimal": hex.EncodeToString(b), " in upper case": strings.ToUpper(hex.EncodeToString(b)),
		" in a query": url.QueryEscape(text), " in a path": url.PathEscape(text),
	}
	for form, t := range forms {
		if len(text) >= minSecret {
			s[t] = what + form
		}
	}
}

// addPassword adds what stands for a password, too: SCRAM-SHA-1 starts from a hash.
func (s secrets) addPassword(user, password string) {
	s.add("a password", password)
	sum := md5.Sum([]byte(user + ":mongo:" + password))
	s.add("a password's hash", hex.EncodeToString(sum[:]))
}

// addPayload adds one message of a login, and for SCRAM its parts: nonces, salt,
// proof and signature.
func (s secrets) addPayload(payload []byte) {
	s.add("a payload", string(payload))
	for part := range strings.SplitSeq(string(payload), ",") {
		if name, value, ok := strings.Cut(part, "="); ok && len(name) == 1 {
			s.add("a payload's "+name, value)
		}
	}
}

// foundIn names those that occur in a text.
func (s secrets) foundIn(text string) []string {
	var out []string
	for secret, what := range s {
		if strings.Contains(text, secret) && !slices.Contains(out, what) {
			out = append(out, what)
		}
	}
	slices.Sort(out)
	return out
}

// payloads are the messages of logins in what one side of a connection said.
func payloads(stream []byte) [][]byte {
	var out [][]byte
	var f wire.Framer
	for m, rest, ok := f.Next(stream); ok; m, rest, ok = f.Next(rest) {
		out = append(out, binaries(body(m))...)
	}
	return out
}

// body is the document of a message.
func body(m wire.Message) bsoncore.Document {
	switch m.OpCode {
	case wire.OpMsg:
		if msg, err := wire.DecodeMsg(m); err == nil {
			return msg.Body
		}
	case wire.OpQuery:
		if q, err := wire.DecodeQuery(m); err == nil {
			return q.Body
		}
	case wire.OpReply:
		if r, err := wire.DecodeReply(m); err == nil && len(r.Docs) > 0 {
			return r.Docs[0]
		}
	}
	return nil
}

// binaries are the payloads in a document and in those below it, whoever means
// what by them.
func binaries(doc bsoncore.Document) [][]byte {
	elements, err := bson.Raw(doc).Elements()
	if err != nil {
		return nil
	}
	var out [][]byte
	for _, e := range elements {
		switch v := e.Value(); v.Type {
		case bson.TypeEmbeddedDocument:
			out = append(out, binaries(bsoncore.Document(v.Document()))...)
		case bson.TypeBinary:
			if _, data := v.Binary(); e.Key() == "payload" {
				out = append(out, slices.Clone(data))
			}
		}
	}
	return out
}

// knows reports whether a text is looked for.
func (s secrets) knows(text string) bool { return s[text] != "" }
