package search

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/resp"
)

// settings are the parameters of FT.CONFIG, which are those search-* of CONFIG, too.
type settings struct {
	MinPrefix                           int64
	MaxPrefixExpansions                 int64
	MaxResults, MaxAggregates           int64 // negative for no limit
	DefaultDialect, Timeout, CursorIdle int64 // milliseconds
	TanhFactor                          int64 // of the scorer BM25STD.TANH
	OnTimeout, DefaultScorer            string
	numbers                             map[string]*int64  // what has no effect, by its name
	texts                               map[string]*string // the same of what is not a number
}

func newSettings() *settings {
	s := &settings{MinPrefix: 2, MaxPrefixExpansions: 200, MaxResults: 1_000_000,
		MaxAggregates: -1, DefaultDialect: 1, Timeout: 500, CursorIdle: 300_000, TanhFactor: 4,
		OnTimeout: "return", DefaultScorer: "TFIDF", numbers: make(map[string]*int64), texts: make(map[string]*string)}
	for _, p := range parameters {
		if n, err := strconv.ParseInt(p.initial, 10, 64); err == nil {
			s.numbers[p.name] = &n
		} else if p.initial != "" {
			s.texts[p.name] = &p.initial
		}
	}
	return s
}

// fails reports whether a query that takes too long has an error for a reply.
func (s *settings) fails() bool { return s.OnTimeout == "fail" }

// mostResults returns the most results of FT.SEARCH.
func (s *settings) mostResults() int64 {
	if s.MaxResults < 0 {
		return math.MaxInt32
	}
	return s.MaxResults
}

// parameter is a parameter of FT.CONFIG: a number with bounds, or a text. It is also one of CONFIG.
type parameter struct {
	name        string
	config      string // its name in CONFIG, behind "search-"; empty if it is not there
	about       string
	since       string                    // the release that introduced it; empty for RediSearch 2.10
	number      func(s *settings) *int64  // nil for a text, and for what has no effect
	text        func(s *settings) *string // nil for a number, and for what has no effect
	least, most int64
	words       []string // what a text may be; nil for any
	initial     string   // of what has no effect; "-" for nil
	fixed       bool     // it cannot be set after the start
	low, high   error    // for a number outside of its bounds, where that is not the usual one
}

// parameters are those of FT.CONFIG, in their order. What RediSearch has for its collection of
// garbage, its threads and its trees has no effect, nor has the least length of stems.
var parameters = []parameter{
	{name: "EXTLOAD", config: "ext-load", about: "A library with scorers and expanders", initial: "-", fixed: true},
	{name: "NOGC", config: "no-gc", about: "Whether garbage is not collected", initial: "false", fixed: true},
	{name: "MINPREFIX", config: "min-prefix", about: "The least bytes of a prefix",
		number: func(s *settings) *int64 { return &s.MinPrefix }, least: 1, most: math.MaxInt64},
	{name: "MINSTEMLEN", config: "min-stem-len", about: "Has no effect", initial: "4", least: 2,
		most: math.MaxUint32, low: errMinStem},
	{name: "FORKGC_SLEEP_BEFORE_EXIT", config: "fork-gc-sleep-before-exit", about: "Has no effect", initial: "0"},
	{name: "MAXDOCTABLESIZE", config: "max-doctablesize", about: "The most documents that a table begins with",
		initial: "1000000", fixed: true},
	{name: "MAXSEARCHRESULTS", config: "max-search-results", about: "The most results of FT.SEARCH",
		number: func(s *settings) *int64 { return &s.MaxResults }, least: -1, most: math.MaxInt64},
	{name: "MAXAGGREGATERESULTS", config: "max-aggregate-results", about: "The most results of FT.AGGREGATE",
		number: func(s *settings) *int64 { return &s.MaxAggregates }, least: -1, most: math.MaxInt64},
	{name: "MAXEXPANSIONS", config: "max-expansions", about: "The most words of a prefix, a pattern or a fuzzy word",
		number: func(s *settings) *int64 { return &s.MaxPrefixExpansions }, least: 1, most: math.MaxInt64},
	{name: "MAXPREFIXEXPANSIONS", config: "max-prefix-expansions",
		about:  "The most words of a prefix, a pattern or a fuzzy word",
		number: func(s *settings) *int64 { return &s.MaxPrefixExpansions }, least: 1, most: math.MaxInt64},
	{name: "TIMEOUT", config: "timeout", about: "The most milliseconds of a query",
		number: func(s *settings) *int64 { return &s.Timeout }, least: 0, most: math.MaxInt64},
	{name: "FRISOINI", config: "friso-ini", about: "Has no effect", initial: "-", fixed: true},
	{name: "ON_TIMEOUT", config: "on-timeout", about: "What a query does that takes longer: RETURN or FAIL",
		text: func(s *settings) *string { return &s.OnTimeout }, words: []string{"return", "fail"}},
	{name: "GCSCANSIZE", config: "gc-scan-size", about: "Has no effect", initial: "100"},
	{name: "MIN_PHONETIC_TERM_LEN", config: "min-phonetic-term-len",
		about: "The least bytes of a word that has a sound", initial: "3"},
	{name: "GC_POLICY", about: "Has no effect", initial: "fork", fixed: true},
	{name: "FORK_GC_RUN_INTERVAL", config: "fork-gc-run-interval", about: "Has no effect", initial: "30"},
	{name: "FORK_GC_CLEAN_THRESHOLD", config: "fork-gc-clean-threshold", about: "Has no effect", initial: "100"},
	{name: "FORK_GC_RETRY_INTERVAL", config: "fork-gc-retry-interval", about: "Has no effect", initial: "5"},
	{name: "FORK_GC_CLEAN_NUMERIC_EMPTY_NODES", about: "Has no effect", initial: "true"},
	{name: "_FORK_GC_CLEAN_NUMERIC_EMPTY_NODES", about: "Has no effect", initial: "true"},
	{name: "UNION_ITERATOR_HEAP", config: "union-iterator-heap", about: "Has no effect", initial: "20"},
	{name: "CURSOR_MAX_IDLE", config: "cursor-max-idle", about: "The most milliseconds that a cursor stays unused",
		number: func(s *settings) *int64 { return &s.CursorIdle }, least: 0, most: math.MaxInt64},
	{name: "NO_MEM_POOLS", config: "no-mem-pools", about: "Has no effect", initial: "false", fixed: true},
	{name: "PARTIAL_INDEXED_DOCS", config: "partial-indexed-docs", about: "Has no effect", initial: "false",
		fixed: true},
	{name: "UPGRADE_INDEX", about: "Has no effect", initial: "Upgrade config for upgrading", fixed: true},
	{name: "_NUMERIC_COMPRESS", about: "Has no effect", initial: "false"},
	{name: "_FREE_RESOURCE_ON_THREAD", about: "Has no effect", initial: "true"},
	{name: "_PRINT_PROFILE_CLOCK", about: "Has no effect", initial: "true"},
	{name: "RAW_DOCID_ENCODING", config: "raw-docid-encoding", about: "Has no effect", initial: "false", fixed: true},
	{name: "_NUMERIC_RANGES_PARENTS", about: "Has no effect", initial: "0"},
	{name: "DEFAULT_DIALECT", config: "default-dialect", about: "The dialect of queries that name none",
		number: func(s *settings) *int64 { return &s.DefaultDialect }, least: 1, most: 4, low: errHighDialect,
		high: errHighDialect},
	{name: "VSS_MAX_RESIZE", config: "vss-max-resize", about: "Has no effect", initial: "0"},
	{name: "MULTI_TEXT_SLOP", config: "multi-text-slop", about: "Has no effect", initial: "100", fixed: true},
	{name: "BG_INDEX_SLEEP_GAP", config: "bg-index-sleep-gap", about: "Has no effect", initial: "100", fixed: true},
	{name: "_PRIORITIZE_INTERSECT_UNION_CHILDREN", about: "Has no effect", initial: "false"},
	{name: "DEFAULT_SCORER", config: "default-scorer", since: "8.0.0", about: "The scorer of queries that name none",
		text: func(s *settings) *string { return &s.DefaultScorer }, words: index.Scorers()},
	{name: "BM25STD_TANH_FACTOR", config: "bm25std-tanh-factor", since: "8.0.0",
		about:  "By what BM25STD.TANH divides scores",
		number: func(s *settings) *int64 { return &s.TanhFactor }, least: 1, most: maxTanhFactor, low: errTanhFactor,
		high: errTanhFactor},
	{name: "WORKERS", config: "workers", since: "8.0.0", about: "Has no effect", initial: "0"},
	{name: "MIN_OPERATION_WORKERS", config: "min-operation-workers", since: "8.0.0", about: "Has no effect",
		initial: "4"},
	{name: "TIERED_HNSW_BUFFER_LIMIT", config: "tiered-hnsw-buffer-limit", since: "8.0.0", about: "Has no effect",
		initial: "1024", fixed: true},
	{name: "WORKERS_PRIORITY_BIAS_THRESHOLD", config: "workers-priority-bias-threshold", since: "8.0.0",
		about: "Has no effect", initial: "1", fixed: true},
	{name: "INDEX_CURSOR_LIMIT", config: "index-cursor-limit", since: "8.0.0", about: "Has no effect",
		initial: "128", fixed: true},
	{name: "SEARCH_IO_THREADS", config: "io-threads", since: "8.4.0", about: "Has no effect", initial: "1",
		fixed: true},
	{name: "ON_OOM", config: "on-oom", since: "8.4.0", about: "Has no effect", initial: "return"},
}

// params returns the parameters as those of CONFIG.
func (s *settings) params() (list []config.Param) {
	for i := range parameters {
		p := &parameters[i]
		if p.config == "" {
			continue
		}
		one := p.param(s)
		if p.fixed {
			one = one.AtStart()
		}
		if p.number == nil && p.text == nil {
			one = one.Inert()
		}
		list = append(list, one)
	}
	return list
}

func (p *parameter) param(s *settings) config.Param {
	name, number, text := "search-"+p.config, p.numberOf(s), p.textOf(s)
	switch {
	case number != nil:
		return config.Int(name, number, p.least, p.highest())
	case p.words != nil:
		return config.Enum(name, text, p.words...)
	case *text == "true" || *text == "false":
		on := *text == "true"
		return config.Bool(name, &on).Then(func() { *text = strconv.FormatBool(on) })
	}
	return config.Param{Name: name, Get: func() string { return strings.TrimPrefix(*text, none) },
		Set: func(v string) error { *text = v; return nil }}
}

// maxTanhFactor is the highest BM25STD_TANH_FACTOR.
const maxTanhFactor = 10_000

// none is the text of a parameter that has no value.
const none = "-"

// numberOf returns where a number is kept; nil for a text.
func (p *parameter) numberOf(s *settings) *int64 {
	if p.number != nil {
		return p.number(s)
	}
	return s.numbers[p.name]
}

// textOf returns where a text is kept; nil for a number.
func (p *parameter) textOf(s *settings) *string {
	if p.text != nil {
		return p.text(s)
	}
	return s.texts[p.name]
}

// highest returns the highest number.
func (p *parameter) highest() int64 {
	if p.most == 0 {
		return math.MaxInt64
	}
	return p.most
}

// FT.CONFIG GET|SET|HELP option [value]
func cmdConfig(s *settings, c *engine.Call) {
	action, name := c.Arg(), strings.ToUpper(string(c.Arg()))
	switch {
	case command.IsWord(action, "GET"):
		s.replyParameters(c, name, 1, s.replyValue)
	case command.IsWord(action, "HELP"):
		s.replyParameters(c, name, 4, s.replyHelp)
	case command.IsWord(action, "SET"):
		s.setParameter(c, name)
	default:
		c.Reply.Status("No such configuration action")
	}
}

// value returns the value of a parameter; ok is false if it has none.
func (p *parameter) value(s *settings) (text string, ok bool) {
	n := p.numberOf(s)
	switch {
	case n == nil:
		text = *p.textOf(s)
		return text, text != none
	case *n < 0:
		return "unlimited", true
	}
	return strconv.FormatInt(*n, 10), true
}

// replyParameters replies with the parameters of a name, or all: in RESP2 an array for each, of its
// name and the elements that reply writes.
func (s *settings) replyParameters(c *engine.Call, name string, elements int,
	reply func(c *engine.Call, p *parameter)) {
	at, n := c.Reply.Defer(), 0
	for i := range parameters {
		p := &parameters[i]
		if name != "*" && name != p.name || !c.Engine.Release.Offers(release.From(p.since)) {
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

func (s *settings) replyValue(c *engine.Call, p *parameter) {
	if v, ok := p.value(s); ok {
		c.Reply.BulkString(v)
	} else {
		c.Reply.Null()
	}
}

func (s *settings) replyHelp(c *engine.Call, p *parameter) {
	c.Reply.Status("Description")
	c.Reply.Status(p.about)
	c.Reply.Status("Value")
	s.replyValue(c, p)
}

// setParameter sets a parameter.
func (s *settings) setParameter(c *engine.Call, name string) {
	i := slices.IndexFunc(parameters, func(p parameter) bool {
		return p.name == name && c.Engine.Release.Offers(release.From(p.since))
	})
	switch {
	case i < 0:
		c.Refuse(errNoParameter)
	case parameters[i].fixed:
		c.Refuse(errFixed)
	case c.Left() == 0:
		c.Refuse(noArgument)
	default:
		if err := parameters[i].set(s, string(c.Arg())); err != nil {
			c.Refuse(err)
		}
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
func (p *parameter) set(s *settings, text string) error {
	number := p.numberOf(s)
	if number == nil {
		return p.setText(s, text)
	}
	n, ok := resp.ParseInt([]byte(text))
	switch {
	case !ok:
		return notConverted
	case n < p.least && p.low != nil:
		return p.low
	case n > p.highest() && p.high != nil:
		return p.high
	case n < p.least || n > p.highest():
		return outOfBounds
	}
	*number = n
	return nil
}

func (p *parameter) setText(s *settings, text string) error {
	if p.words == nil {
		*p.textOf(s) = strings.ToLower(text)
		return nil
	}
	i := slices.IndexFunc(p.words, func(word string) bool { return strings.EqualFold(word, text) })
	if i < 0 {
		return command.Errorf("Invalid %s value", p.name)
	}
	*p.textOf(s) = p.words[i]
	return nil
}
