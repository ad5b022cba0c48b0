package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// maxConfig is how many bytes a configuration may have. The parser takes seconds for
// more, and who names a file of that size has named another one.
const maxConfig = 1 << 20

// configText reads a configuration file that is one by its looks.
func configText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		err = fmt.Errorf("config.file %s: %w", path, inWords{err})
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; `mongoadvisor config print-defaults` prints one to start from", err)
		}
		return nil, usage("%w", err)
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	switch {
	case err != nil:
		return nil, usage("config.file %s: %s", path, trouble(err))
	case len(raw) > maxConfig:
		return nil, usage("config.file %s has more than 1 MiB, and is hardly a configuration; `mongoadvisor config print-defaults` prints one", path)
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return nil, usage("config.file %s is no text in UTF-8, as YAML is; `mongoadvisor config print-defaults` prints one", path)
	}
	return bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), nil
}

// decodeConfig reads the one document of a file. Errors have line, column and a caret.
func decodeConfig(raw []byte, to *config) error {
	d := yaml.NewDecoder(bytes.NewReader(raw), yaml.Strict())
	if err := d.Decode(to); err != nil {
		if errors.Is(err, io.EOF) {
			return nil
		}
		return errors.New(quoted(worded(err)))
	}
	var second any
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		return errors.New("a second document follows (---), which nobody reads: put all keys into the first")
	}
	return nil
}

// worded says in words of YAML what the decoder says in those of Go.
func worded(err error) error {
	var (
		kind  *yaml.TypeError
		size  *yaml.OverflowError
		shape *yaml.UnexpectedNodeTypeError
	)
	switch {
	case errors.As(err, &kind):
		return &yaml.SyntaxError{Message: "want " + wantedOf(kind.DstType), Token: kind.Token}
	case errors.As(err, &size):
		return &yaml.SyntaxError{Message: size.SrcNum + ": want " + wantedOf(size.DstType), Token: size.Token}
	case errors.As(err, &shape) && shape.Expected == ast.SequenceType:
		return &yaml.SyntaxError{Message: "want a list, as [one, two], or a line that begins with - for each", Token: shape.Token}
	case errors.As(err, &shape) && shape.Expected == ast.MappingType:
		return &yaml.SyntaxError{Message: "want keys with values, as key: value", Token: shape.Token}
	}
	return err
}

// wantedOf words the values that a type takes.
func wantedOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Uint:
		return "a whole number of 0 or more"
	case reflect.Slice:
		return "a list, as [one, two]"
	case reflect.Struct:
		return "keys with values, as key: value"
	default:
		return "text"
	}
}

// longestQuote is how much of a line is shown, in bytes.
const longestQuote = 200

// quoted is an error with the lines around its place, without the secrets in them.
func quoted(err error) string {
	var at interface{ GetToken() *token.Token }
	if !errors.As(err, &at) || at.GetToken() == nil {
		return err.Error()
	}
	lines := strings.Split(withoutSecrets(yaml.FormatError(err, false, true)), "\n")
	for i, line := range lines {
		if len(line) > longestQuote {
			lines[i] = strings.ToValidUTF8(line[:longestQuote], "") + "…"
		}
	}
	return strings.Join(lines, "\n")
}
