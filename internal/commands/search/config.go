package search

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// settings are the parameters of FT.CONFIG that have an effect, for one world.
type settings struct {
	MinPrefix, MinStem                  int64
	MaxExpansions, MaxPrefixExpansions  int64
	MaxResults, MaxAggregates           int64 // negative for no limit
	DefaultDialect, Timeout, CursorIdle int64 // milliseconds
	FailOnTimeout                       bool
	others                              map[string]string // what was set without an effect, by its name
}

func newSettings() *settings {
	return &settings{MinPrefix: 2, MinStem: 4, MaxExpansions: 200, MaxPrefixExpansions: 200, MaxResults: 1_000_000,
		MaxAggregates: -1, DefaultDialect: 1, Timeout: 500, CursorIdle: 300_000, others: make(map[string]string)}
}

// settingsOf returns the settings of a world.
func settingsOf(c *engine.Call) *settings {
	cat := of(c.World)
	if cat.settings == nil {
		cat.settings = newSettings()
	}
	return cat.settings
}

// mostResults returns the most results of FT.SEARCH.
func (s *settings) mostResults() int64 {
	if s.MaxResults < 0 {
		return math.MaxInt32
	}
	return s.MaxResults
}

// parameter is a parameter of FT.CONFIG: a number with bounds, or something else that is only kept.
type parameter struct {
	name        string
	about       string
	number      func(s *settings) *int64 // nil for what has no effect
	least, most int64
	initial     string // of what has no effect; "-" for nil
	fixed       bool   // it cannot be set
	low, high   error  // for a number outside of its bounds, where that is not the usual one
}

// parameters are those of FT.CONFIG, in their order. What RediSearch has for its collection of
// garbage, its threads and its trees has no effect.
var parameters = []parameter{
	{name: "EXTLOAD", about: "A library with scorers and expanders", initial: "-", fixed: true},
	{name: "NOGC", about: "Whether garbage is not collected", initial: "false", fixed: true},
	{name: "MINPREFIX", about: "The least bytes of a prefix",
		number: func(s *settings) *int64 { return &s.MinPrefix }, least: 1, most: math.MaxInt64},
	{name: "MINSTEMLEN", about: "The least bytes of a word that has a stem",
		number: func(s *settings) *int64 { return &s.MinStem }, least: 2, most: math.MaxInt64, low: errMinStem},
	{name: "FORKGC_SLEEP_BEFORE_EXIT", about: "Has no effect", initial: "0"},
	{name: "MAXDOCTABLESIZE", about: "The most documents that a table begins with", initial: "1000000", fixed: true},
	{name: "MAXSEARCHRESULTS", about: "The most results of FT.SEARCH",
		number: func(s *settings) *int64 { return &s.MaxResults }, least: -1, most: math.MaxInt64},
	{name: "MAXAGGREGATERESULTS", about: "The most results of FT.AGGREGATE",
		number: func(s *settings) *int64 { return &s.MaxAggregates }, least: -1, most: math.MaxInt64},
	{name: "MAXEXPANSIONS", about: "The most words of a prefix, a pattern or a fuzzy word",
		number: func(s *settings) *int64 { return &s.MaxPrefixExpansions }, least: 1, most: math.MaxInt64},
	{name: "MAXPREFIXEXPANSIONS", about: "The most words of a prefix, a pattern or a fuzzy word",
		number: func(s *settings) *int64 { return &s.MaxPrefixExpansions }, least: 1, most: math.MaxInt64},
	{name: "TIMEOUT", about: "The most milliseconds of a query",
		number: func(s *settings) *int64 { return &s.Timeout }, least: 0, most: math.MaxInt64},
	{name: "FRISOINI", about: "Has no effect", initial: "-", fixed: true},
	{name: "ON_TIMEOUT", about: "What a query does that takes longer: RETURN or FAIL", initial: "return"},
	{name: "GCSCANSIZE", about: "Has no effect", initial: "100"},
	{name: "MIN_PHONETIC_TERM_LEN", about: "The least bytes of a word that has a sound", initial: "3"},
	{name: "GC_POLICY", about: "Has no effect", initial: "fork", fixed: true},
	{name: "FORK_GC_RUN_INTERVAL", about: "Has no effect", initial: "30"},
	{name: "FORK_GC_CLEAN_THRESHOLD", about: "Has no effect", initial: "100"},
	{name: "FORK_GC_RETRY_INTERVAL", about: "Has no effect", initial: "5"},
	{name: "FORK_GC_CLEAN_NUMERIC_EMPTY_NODES", about: "Has no effect", initial: "true"},
	{name: "_FORK_GC_CLEAN_NUMERIC_EMPTY_NODES", about: "Has no effect", initial: "true"},
	{name: "UNION_ITERATOR_HEAP", about: "Has no effect", initial: "20"},
	{name: "CURSOR_MAX_IDLE", about: "The most milliseconds that a cursor stays unused",
		number: func(s *settings) *int64 { return &s.CursorIdle }, least: 0, most: math.MaxInt64},
	{name: "NO_MEM_POOLS", about: "Has no effect", initial: "false", fixed: true},
	{name: "PARTIAL_INDEXED_DOCS", about: "Has no effect", initial: "false", fixed: true},
	{name: "UPGRADE_INDEX", about: "Has no effect", initial: "Upgrade config for upgrading", fixed: true},
	{name: "_NUMERIC_COMPRESS", about: "Has no effect", initial: "false"},
	{name: "_FREE_RESOURCE_ON_THREAD", about: "Has no effect", initial: "true"},
	{name: "_PRINT_PROFILE_CLOCK", about: "Has no effect", initial: "true"},
	{name: "RAW_DOCID_ENCODING", about: "Has no effect", initial: "false", fixed: true},
	{name: "_NUMERIC_RANGES_PARENTS", about: "Has no effect", initial: "0"},
	{name: "DEFAULT_DIALECT", about: "The dialect of queries that name none",
		number: func(s *settings) *int64 { return &s.DefaultDialect }, least: 1, most: 4, low: errHighDialect,
		high: errHighDialect},
	{name: "VSS_MAX_RESIZE", about: "Has no effect", initial: "0"},
	{name: "MULTI_TEXT_SLOP", about: "Has no effect", initial: "100", fixed: true},
	{name: "BG_INDEX_SLEEP_GAP", about: "Has no effect", initial: "100", fixed: true},
	{name: "_PRIORITIZE_INTERSECT_UNION_CHILDREN", about: "Has no effect", initial: "false"},
}

// FT.CONFIG GET|SET|HELP option [value]
func cmdConfig(c *engine.Call) {
	action, name := c.Arg(), strings.ToUpper(string(c.Arg()))
	switch {
	case command.IsWord(action, "GET"):
		replyParameters(c, name, 1, replyValue)
	case command.IsWord(action, "HELP"):
		replyParameters(c, name, 4, replyHelp)
	case command.IsWord(action, "SET"):
		setParameter(c, name)
	default:
		c.Reply.Status("No such configuration action")
	}
}

// value returns the value of a parameter; ok is false if it has none.
func (p *parameter) value(s *settings) (text string, ok bool) {
	if p.number == nil {
		if text, ok = s.others[p.name]; !ok {
			text = p.initial
		}
		return text, text != "-"
	}
	n := *p.number(s)
	if n < 0 {
		return "unlimited", true
	}
	return strconv.FormatInt(n, 10), true
}

// replyParameters replies with the parameters of a name, or all: in RESP2 an array for each, of its
// name and the elements that reply writes.
func replyParameters(c *engine.Call, name string, elements int, reply func(c *engine.Call, p *parameter)) {
	at, n := c.Reply.Defer(), 0
	for i := range parameters {
		p := &parameters[i]
		if name != "*" && name != p.name {
			continue
		}
		if n++; c.Reply.Proto() < 3 {
			c.Reply.Array(1 + elements)
		}
		c.Reply.Status(p.name)
		if elements > 1 && c.Reply.Proto() >= 3 {
			c.Reply.Map(elements / 2)
		}
		reply(c, p)
	}
	if c.Reply.Proto() >= 3 {
		c.Reply.SetMap(at, n)
	} else {
		c.Reply.SetArray(at, n)
	}
}

func replyValue(c *engine.Call, p *parameter) {
	if v, ok := p.value(settingsOf(c)); ok {
		c.Reply.BulkString(v)
	} else {
		c.Reply.Null()
	}
}

func replyHelp(c *engine.Call, p *parameter) {
	c.Reply.Status("Description")
	c.Reply.Status(p.about)
	c.Reply.Status("Value")
	replyValue(c, p)
}

// setParameter sets a parameter.
func setParameter(c *engine.Call, name string) {
	i := slices.IndexFunc(parameters, func(p parameter) bool { return p.name == name })
	switch {
	case i < 0:
		c.Refuse(errNoParameter)
	case parameters[i].fixed:
		c.Refuse(errFixed)
	case c.Left() == 0:
		c.Refuse(noArgument)
	default:
		parameters[i].set(c, string(c.Arg()))
	}
	switch {
	case !c.OK():
	case c.More():
		c.Reply.Status("EXCESSARGS")
	default:
		c.Reply.Status("OK")
	}
}

// set sets the parameter.
func (p *parameter) set(c *engine.Call, text string) {
	if p.number == nil {
		if p.name == "ON_TIMEOUT" && !strings.EqualFold(text, "RETURN") && !strings.EqualFold(text, "FAIL") {
			c.Refuse(errOnTimeout)
			return
		}
		settingsOf(c).others[p.name] = strings.ToLower(text)
		return
	}
	n, ok := resp.ParseInt([]byte(text))
	switch {
	case !ok:
		c.Refuse(notConverted)
	case n < p.least && p.low != nil:
		c.Refuse(p.low)
	case n > p.most && p.high != nil:
		c.Refuse(p.high)
	case n < p.least || n > p.most:
		c.Refuse(outOfBounds)
	default:
		*p.number(settingsOf(c)) = n
	}
}
