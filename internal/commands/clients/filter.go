package clients

import (
	"math"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// clientFilter is the options of CLIENT LIST and CLIENT KILL. A session must pass the tests of all
// options. As in Redis the last one counts if an option is given twice.
type clientFilter struct {
	tests map[string]clientTest
	self  bool // the caller may be among the sessions
}

// clientTest reports whether a session is one of those that are asked for.
type clientTest func(s *engine.Session) bool

// clientOption is an option that selects clients. read reads its value.
type clientOption struct {
	word    string
	negated bool // there is also NOT-word
	read    func(c *engine.Call) clientTest
}

// The words are those of the syntaxes of both commands, which say since when each of them is there.
var clientOptions = []clientOption{
	{"ID", true, testID},
	{"TYPE", true, func(c *engine.Call) clientTest {
		kind := clientType(c)
		return func(s *engine.Session) bool { return typeOf(s) == kind }
	}},
	{"USER", true, testUser},
	{"ADDR", true, testText(func(s *engine.Session) string { return s.Addr })},
	{"LADDR", true, testText(func(s *engine.Session) string { return s.LocalAddr })},
	{"MAXAGE", false, func(c *engine.Call) clientTest {
		age := seconds(c, errMaxAgeInt, errMaxAge)
		return func(s *engine.Session) bool { return (c.World.Micros()-s.Describe().Created)/1e6 >= age }
	}},
	{"IDLE", false, func(c *engine.Call) clientTest {
		idle := seconds(c, errIdleInt, errIdle)
		return func(s *engine.Session) bool { return (c.World.Micros()-s.Describe().LastActive)/1e6 >= idle }
	}},
	{"NAME", true, testText(func(s *engine.Session) string { return s.Name })},
	{"LIB-NAME", true, testText(func(s *engine.Session) string { return s.LibName })},
	{"LIB-VER", true, testText(func(s *engine.Session) string { return s.LibVer })},
	{"IP", true,
		testText(func(s *engine.Session) string { return s.Addr[:max(0, strings.LastIndexByte(s.Addr, ':'))] })},
	{"FLAGS", true, testLetters(errFlags, "ABIMNOPRSTUbcdeirtuxE", flags)},
	{"CAPA", true, testLetters(errCapa, "r", capabilities)},
	{"DB", true, testDB},
}

// readClientFilter reads the options up to the end. The caller is not among the sessions unless
// self says so or SKIPME NO.
func readClientFilter(c *engine.Call, self bool) clientFilter {
	f := clientFilter{tests: make(map[string]clientTest), self: self}
	for c.More() {
		switch {
		case c.Left() < 2 && !(c.Has(severalIDs) && command.IsWord(c.Args[c.Pos()], "ID")):
			c.Refuse(engine.ErrSyntax)
		case c.Word("SKIPME"):
			if f.self = c.Word("NO"); !f.self && !c.Word("YES") {
				c.Refuse(engine.ErrSyntax)
			}
		default:
			readClientOption(c, &f)
		}
	}
	return f
}

func readClientOption(c *engine.Call, f *clientFilter) {
	for _, o := range clientOptions {
		if c.Word(o.word) {
			f.tests[o.word] = o.read(c)
			return
		}
		if not := "NOT-" + o.word; o.negated && c.Word(not) {
			test := o.read(c)
			f.tests[not] = func(s *engine.Session) bool { return !test(s) }
			return
		}
	}
	c.Refuse(engine.ErrSyntax)
}

// isClientOption returns a function that reports whether an argument is the name of an option that
// the command has.
func isClientOption(c *engine.Call) func(arg []byte) bool {
	return func(arg []byte) bool {
		plain := strings.TrimPrefix(strings.ToUpper(string(arg)), "NOT-")
		known := slices.ContainsFunc(clientOptions, func(o clientOption) bool { return o.word == plain })
		return (known || command.IsWord(arg, "SKIPME")) && c.Knows(strings.ToUpper(string(arg)))
	}
}

// filtered returns the sessions that pass a filter, the oldest first.
func filtered(c *engine.Call, f clientFilter) []*engine.Session {
	return slices.DeleteFunc(c.World.Clients(), func(s *engine.Session) bool {
		for _, test := range f.tests {
			if !test(s) {
				return true
			}
		}
		return s == c.Session && !f.self
	})
}

// severalIDs is the option ID with several IDs. In a release that has it there may also be none,
// which no session has.
var severalIDs = release.From("valkey:8.1.0")

func testID(c *engine.Call) clientTest {
	var ids []int64
	if !c.Has(severalIDs) {
		ids = append(ids, clientID(c, errKillID))
	}
	for c.More() && c.Engine.Release.Offers(severalIDs) {
		if _, isNumber := resp.ParseInt(c.Args[c.Pos()]); !isNumber {
			break
		}
		ids = append(ids, clientID(c, errKillID))
	}
	if !c.Has(command.Splits) && ids[0] == 0 { // which is every client there
		return func(*engine.Session) bool { return true }
	}
	return func(s *engine.Session) bool { return slices.Contains(ids, s.ID) }
}

// clientID returns the next argument as the ID of a client, which may be absent. In Redis, CLIENT
// LIST and CLIENT KILL have an error each for what is no number.
func clientID(c *engine.Call, notInt error) int64 {
	least := int64(1)
	switch {
	case c.Has(combinesFilters):
		notInt = engine.ErrSyntax
	case notInt == errID:
		least = math.MinInt64
	case !c.Has(command.Splits):
		notInt, least = engine.ErrNotInt, math.MinInt64
	}
	id := c.IntOr(notInt)
	if id < least {
		c.Refuse(errKillID)
	}
	return id
}

func testUser(c *engine.Call) clientTest {
	name := c.Arg()
	user := c.Engine.Users.Named(string(name))
	if user == nil {
		c.Refusef(errNoUser, name)
	}
	return func(s *engine.Session) bool { return s.User() == user }
}

func testDB(c *engine.Call) clientTest {
	word := strings.ToUpper(string(c.Args[c.Pos()-1]))
	n, ok := resp.ParseInt(c.Arg())
	switch last := int64(c.World.Keyspace.Len() - 1); {
	case !ok:
		c.Refusef(errDBInt, word)
	case n < 0 || n > last:
		c.Refusef(errDB, word, last)
	}
	return func(s *engine.Session) bool { return int64(s.DB()) == n }
}

// seconds reads a positive number of seconds.
func seconds(c *engine.Call, notInt, notPositive error) int64 {
	n := c.IntOr(notInt)
	if n <= 0 {
		c.Refuse(notPositive)
	}
	return n
}

// testText returns the reader of an option whose value is a text that sessions have.
func testText(of func(s *engine.Session) string) func(c *engine.Call) clientTest {
	return func(c *engine.Call) clientTest {
		text := string(c.Arg())
		return func(s *engine.Session) bool { return text != "" && of(s) == text }
	}
}

// testLetters returns the reader of an option whose value is letters, of which a session must have
// all. Others than the known ones are the error unknown.
func testLetters(unknown, known string, of func(s *engine.Session) string) func(c *engine.Call) clientTest {
	return func(c *engine.Call) clientTest {
		letters := string(c.Arg())
		if strings.Trim(letters, known) != "" || letters == "" {
			c.Refusef(unknown, letters)
		}
		return func(s *engine.Session) bool {
			has := of(s)
			return !strings.ContainsFunc(letters, func(letter rune) bool { return !strings.ContainsRune(has, letter) })
		}
	}
}
