package sink

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// site is a line of a source file; the zero value is none.
type site struct {
	file string
	line int
}

var siteWords = regexp.MustCompile(`(?:^|[\s=,;(])([\p{L}\p{N}_./@+-]+\.[A-Za-z][A-Za-z0-9]{0,9}):([1-9][0-9]{0,6})(?:$|[\s,;)])`)

// callSite finds the source line that an application names in the comments of its
// commands, as in "at=orders/cart.go:42". A path that leads out of the repository,
// or has no way into it, is none.
func callSite(comment string) site {
	m := siteWords.FindStringSubmatch(comment)
	if m == nil {
		return site{}
	}
	file := path.Clean(m[1])
	if path.IsAbs(file) || strings.HasPrefix(file, "..") {
		return site{}
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return site{}
	}
	return site{file, n}
}

// properties are those of a workflow command; "" of none.
func (s site) properties() string {
	if s.file == "" {
		return ""
	}
	return "file=" + property(s.file) + ",line=" + strconv.Itoa(s.line) + ","
}
