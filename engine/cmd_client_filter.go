package engine

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/resp"
)

// clientFilter is the options of CLIENT LIST and CLIENT KILL. A session must pass the tests of all options. As in Redis the
// last one counts if an option is given twice.
type clientFilter struct {
	tests map[string]clientTest
	self  bool // the caller may be among the sessions
}

// clientTest reports whether a session is one of those that are asked for.
type clientTest func(s *Session) bool

// clientOption is an option that selects clients. read reads its value.
type clientOption struct {
	word    string
	negated bool // there is also NOT-word
	read    func(c *Call) clientTest
}

// The words are those of the syntaxes of both commands, which say since when each of them is there.
var clientOptions = []clientOption{
	{"ID", true, (*Call).testID},
	{"TYPE", true, func(c *Call) clientTest {
		kind := c.clientType()
		return func(s *Session) bool { return s.clientType() == kind }
	}},
	{"USER", true, (*Call).testUser},
	{"ADDR", true, testText(func(s *Session) string { return s.Addr })},
	{"LADDR", true, testText(func(s *Session) string { return s.LocalAddr })},
	{"MAXAGE", false, func(c *Call) clientTest {
		age := c.seconds(ErrMaxAgeInt, ErrMaxAge)
		return func(s *Session) bool { return (c.World.time.micros-s.created)/1e6 >= age }
	}},
	{"IDLE", false, func(c *Call) clientTest {
		idle := c.seconds(ErrIdleInt, ErrIdle)
		return func(s *Session) bool { return (c.World.time.micros-s.lastActive)/1e6 >= idle }
	}},
	{"NAME", true, testText(func(s *Session) string { return s.Name })},
	{"LIB-NAME", true, testText(func(s *Session) string { return s.LibName })},
	{"LIB-VER", true, testText(func(s *Session) string { return s.LibVer })},
	{"IP", true, testText(func(s *Session) string { return s.Addr[:max(0, strings.LastIndexByte(s.Addr, ':'))] })},
	{"FLAGS", true, testLetters(ErrClientFlags, "ABIMNOPRSTUbcdeirtuxE", (*Session).flags)},
	{"CAPA", true, testLetters(ErrClientCapa, "r", (*Session).capabilities)},
	{"DB", true, (*Call).testDB},
}

// readClientFilter reads the options up to the end. The caller is not among the sessions unless self says so or SKIPME NO.
func (c *Call) readClientFilter(self bool) clientFilter {
	f := clientFilter{tests: make(map[string]clientTest), self: self}
	for c.More() {
		switch {
		case c.Left() < 2 && !(c.Has(severalIDs) && command.IsWord(c.Args[c.at], "ID")):
			c.Refuse(ErrSyntax)
		case c.Word("SKIPME"):
			if f.self = c.Word("NO"); !f.self && !c.Word("YES") {
				c.Refuse(ErrSyntax)
			}
		default:
			c.readClientOption(&f)
		}
	}
	return f
}

func (c *Call) readClientOption(f *clientFilter) {
	for _, o := range clientOptions {
		if c.Word(o.word) {
			f.tests[o.word] = o.read(c)
			return
		}
		if not := "NOT-" + o.word; o.negated && c.Word(not) {
			test := o.read(c)
			f.tests[not] = func(s *Session) bool { return !test(s) }
			return
		}
	}
	c.Refuse(ErrSyntax)
}

// isClientOption reports whether an argument is the name of an option that the command has.
func (c *Call) isClientOption(arg []byte) bool {
	return slices.ContainsFunc(clientOptions, func(o clientOption) bool {
		plain := bytes.TrimPrefix(bytes.ToUpper(arg), []byte("NOT-"))
		return string(plain) == o.word && c.Knows(strings.ToUpper(string(arg)))
	}) || command.IsWord(arg, "SKIPME") && c.Knows("SKIPME")
}

// filtered returns the sessions that pass a filter, the oldest first.
func (c *Call) filtered(f clientFilter) []*Session {
	return slices.DeleteFunc(inOrder(c.World.clients), func(s *Session) bool {
		for _, test := range f.tests {
			if !test(s) {
				return true
			}
		}
		return s == c.Session && !f.self
	})
}

// severalIDs is the option ID with several IDs. In a release that has it there may also be none, which no session has.
var severalIDs = release.From("valkey:8.1.0")

func (c *Call) testID() clientTest {
	var ids []int64
	if !c.Has(severalIDs) {
		ids = append(ids, c.clientID(ErrKillID))
	}
	for c.More() && c.Engine.Release.Offers(severalIDs) {
		if _, isNumber := resp.ParseInt(c.Args[c.at]); !isNumber {
			break
		}
		ids = append(ids, c.clientID(ErrKillID))
	}
	if !c.Has(command.Splits) && ids[0] == 0 { // which is every client there
		return func(*Session) bool { return true }
	}
	return func(s *Session) bool { return slices.Contains(ids, s.ID) }
}

// clientID returns the next argument as the ID of a client, which may be absent. In Redis, CLIENT LIST and CLIENT KILL
// have an error each for what is no number.
func (c *Call) clientID(notInt error) int64 {
	least := int64(1)
	switch {
	case c.Has(combinesFilters):
		notInt = ErrSyntax
	case notInt == ErrClientID:
		least = math.MinInt64
	case !c.Has(command.Splits):
		notInt, least = ErrNotInt, math.MinInt64
	}
	id := c.IntOr(notInt)
	if id < least {
		c.Refuse(ErrKillID)
	}
	return id
}

func (c *Call) testUser() clientTest {
	name := c.Arg()
	user := c.Engine.users.byName[string(name)]
	if user == nil {
		c.Refusef(ErrNoUser, name)
	}
	return func(s *Session) bool { return s.user == user }
}

func (c *Call) testDB() clientTest {
	word := strings.ToUpper(string(c.Args[c.at-1]))
	n, ok := resp.ParseInt(c.Arg())
	switch last := int64(c.World.Keyspace.Len() - 1); {
	case !ok:
		c.Refusef(ErrClientDBInt, word)
	case n < 0 || n > last:
		c.Refusef(ErrClientDB, word, last)
	}
	return func(s *Session) bool { return int64(s.db) == n }
}

// seconds reads a positive number of seconds.
func (c *Call) seconds(notInt, notPositive error) int64 {
	n := c.IntOr(notInt)
	if n <= 0 {
		c.Refuse(notPositive)
	}
	return n
}

// testText returns the reader of an option whose value is a text that sessions have.
func testText(of func(s *Session) string) func(c *Call) clientTest {
	return func(c *Call) clientTest {
		text := string(c.Arg())
		return func(s *Session) bool { return text != "" && of(s) == text }
	}
}

// testLetters returns the reader of an option whose value is letters, of which a session must have all. Others than the known
// ones are the error unknown.
func testLetters(unknown, known string, of func(s *Session) string) func(c *Call) clientTest {
	return func(c *Call) clientTest {
		letters := string(c.Arg())
		if strings.Trim(letters, known) != "" || letters == "" {
			c.Refusef(unknown, letters)
		}
		return func(s *Session) bool {
			has := of(s)
			return !strings.ContainsFunc(letters, func(letter rune) bool { return !strings.ContainsRune(has, letter) })
		}
	}
}
