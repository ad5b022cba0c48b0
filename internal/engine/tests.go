package engine

import (
	"container/list"
	"slices"
	"strings"
	"time"

	"mongoadvisor/internal/op"
)

// A test suite says which test it is in by a ping with a comment:
//
//	{ping: 1, comment: "mongoadvisor:begin TestX"}
//	{ping: 1, comment: "mongoadvisor:end TestX"}
//
// The ping travels on one connection of a pool, and the statements of the test on others:
// so what it says holds for all connections of the same application, driver and host. An
// operation belongs to the tests that are open when its reply is seen, which is all that
// can be known: during, not by.
const (
	beginMark = markPrefix + "begin"
	endMark   = markPrefix + "end"
)

// Bounds of what is kept of tests.
const (
	maxTestScopes = 1000
	maxOpenTests  = 64 // of a scope; the one begun first goes
	// maxTestsNamed is how many tests one operation is said to belong to: those begun
	// last.
	maxTestsNamed = 4
	// maxTestTime is how long a test may be open, by the traffic's clock: the end of one
	// that was killed never comes.
	maxTestTime = time.Hour
	// endless is how many tests may begin without one that ends, until a suite is taken
	// for one that does not tell of ends.
	endless = 8
)

// testScope is what shares its tests.
type testScope struct{ app, driver, host string }

func testScopeOf(c *op.Conn) testScope {
	if c == nil {
		return testScope{}
	}
	return testScope{c.App, c.Driver, host(c.Client)}
}

// openTest is a test that has begun.
type openTest struct {
	name  string
	conn  uint64 // the connection that said so
	since time.Time
	// passed says that another one began. It is over, if the suite does not say when its
	// tests end.
	passed bool
}

// scopeTests are the tests of one scope, in the order in which they began.
type scopeTests struct {
	scope testScope
	open  []openTest
	begun int  // until it is known that the suite tells of ends
	ends  bool // it does
}

// testTable knows the tests of each scope; the least recently marked scope goes first.
type testTable struct {
	byScope map[testScope]*list.Element
	order   *list.List
	names   []string // of the operation being judged
}

func newTestTable() *testTable {
	return &testTable{byScope: map[testScope]*list.Element{}, order: list.New()}
}

// mark takes a ping in, whatever the server said to it.
func (t *testTable) mark(o *op.Operation) {
	text := strings.TrimSpace(op.Str(op.Get(o.Body, "comment")))
	verb, name, _ := strings.Cut(text, " ")
	if verb != beginMark && verb != endMark {
		return
	}
	s, conn := t.of(testScopeOf(o.Conn)), uint64(0)
	if o.Conn != nil {
		conn = o.Conn.ID
	}
	name = op.NameOfTest(name)
	switch {
	case verb == endMark:
		s.end(name, conn)
	case name != "":
		s.begin(openTest{name: name, conn: conn, since: o.Time})
	}
}

// of is the scope's tests, made when new.
func (t *testTable) of(scope testScope) *scopeTests {
	if e, ok := t.byScope[scope]; ok {
		t.order.MoveToFront(e)
		return e.Value.(*scopeTests)
	}
	if t.order.Len() >= maxTestScopes {
		last := t.order.Back()
		delete(t.byScope, last.Value.(*scopeTests).scope)
		t.order.Remove(last)
	}
	// the strings of a connection may alias what it was read from
	s := &scopeTests{scope: testScope{strings.Clone(scope.app), strings.Clone(scope.driver), strings.Clone(scope.host)}}
	t.byScope[s.scope] = t.order.PushFront(s)
	return s
}

// during names the tests that are open for an operation, in the order in which they
// began. The slice is good until the next call.
func (t *testTable) during(o *op.Operation) []string {
	if len(t.byScope) == 0 {
		return nil
	}
	e, ok := t.byScope[testScopeOf(o.Conn)]
	if !ok {
		return nil
	}
	t.names = t.names[:0]
	open := e.Value.(*scopeTests).open
	for i := len(open) - 1; i >= 0 && len(t.names) < maxTestsNamed; i-- {
		if x := &open[i]; !x.passed && o.Time.Sub(x.since) < maxTestTime && !slices.Contains(t.names, x.name) {
			t.names = append(t.names, x.name)
		}
	}
	slices.Reverse(t.names)
	return t.names
}

// begin opens a test. As long as no end was seen, the suite may be one that does not
// tell of ends: then a test passes when another one begins on its connection, and once
// many have begun, whatever the connection.
func (s *scopeTests) begin(x openTest) {
	if !s.ends {
		s.begun++
		for i := range s.open {
			s.open[i].passed = s.open[i].passed || s.open[i].conn == x.conn || s.begun > endless
		}
	}
	s.open = slices.DeleteFunc(s.open, func(old openTest) bool { return old.name == x.name && old.conn == x.conn })
	if len(s.open) >= maxOpenTests {
		s.open = slices.Delete(s.open, 0, 1)
	}
	s.open = append(s.open, x)
}

// end closes a test: the one of that name, or without a name the one begun last; of
// several the one begun on the same connection. A suite that tells of ends tells of all:
// those that seemed to have passed are still open.
func (s *scopeTests) end(name string, conn uint64) {
	if !s.ends {
		s.ends = true
		for i := range s.open {
			s.open[i].passed = false
		}
	}
	at := -1
	for i, x := range s.open {
		if (name == "" || x.name == name) && (at < 0 || x.conn == conn || s.open[at].conn != conn) {
			at = i
		}
	}
	if at >= 0 {
		s.open = slices.Delete(s.open, at, at+1)
	}
}
