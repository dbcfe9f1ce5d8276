package arrays

import (
	"bytes"
	"errors"
	"math"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/glob"
	"github.com/miniserver-go/miniserver/internal/regex"
)

const (
	mostPredicates = 250
	longestRegex   = 2048
)

// search is what ARGREP looks for.
type search struct {
	predicates []predicate
	and        bool // an element must match all of them
	fold       bool // the case of ASCII letters does not count
	withValues bool
	limit      int64
	folded     []byte // scratch: an element, folded
	left       int    // what elements may still cost, see spend
}

// What patterns may cost, in instructions that are run for a byte: so many however small the array
// is, and so many for each byte of it that is searched. What it takes to compile an instruction
// counts, too. An instruction takes about 10 ns.
const (
	freeCost     = 1 << 25
	moreCost     = 64
	compileCost  = 128
	elementBytes = 16 // that an element counts beside its text
)

// predicate is EXACT, MATCH, GLOB or RE.
type predicate struct {
	kind  string
	text  []byte
	regex *regex.Regexp // of RE
	cost  int           // for each byte of an element
}

// ARGREP key start end <EXACT string | MATCH string | GLOB pattern | RE pattern ...> [AND | OR]
// [LIMIT limit] [WITHVALUES] [NOCASE]
func cmdARGrep(c *engine.Call) {
	key, start, end := c.Arg(), boundArg(c), boundArg(c)
	s := parseSearch(c)
	s.compile(c)
	a, ok := read(c, key)
	if !ok {
		return
	}
	last := a.Span() - 1
	if a.Len() == 0 {
		c.Reply.Array(0)
		return
	}
	before := c.Reply.Len()
	at, n, buf := c.Reply.Defer(), 0, make([]byte, 0, 32)
	a.Scan(start.of(last), end.of(last), func(index uint64, e ziplist.Entry) bool {
		text := e.Text(buf)
		if s.spend(text); s.left < 0 {
			return false
		}
		if !s.matches(text) {
			return true
		}
		if s.withValues {
			replyPair(c, index, e)
		} else {
			c.Reply.Uint(index)
		}
		n++
		return int64(n) < s.limit && !c.Reply.Full()
	})
	c.Reply.SetArray(at, n)
	if s.left < 0 {
		c.Reply.Truncate(before)
		c.Fail(errSearch)
	}
}

// spend counts what it costs to look for all predicates in an element.
func (s *search) spend(text []byte) {
	cost := 0
	for i := range s.predicates {
		cost += s.predicates[i].cost
	}
	s.left += moreCost*(len(text)+elementBytes) - cost*len(text)
}

// bound is an index, or the last one of the array.
type bound struct {
	index uint64
	last  bool
}

// boundArg reads the next argument, an index, - for the first or + for the last one.
func boundArg(c *engine.Call) bound {
	switch {
	case c.Word("-"):
		return bound{}
	case c.Word("+"):
		return bound{last: true}
	}
	return bound{index: indexArg(c, array.MaxIndex)}
}

func (b bound) of(last uint64) uint64 {
	if b.last {
		return last
	}
	return b.index
}

// parseSearch reads predicates and options in any order. Of options that say the same the last one
// counts.
func parseSearch(c *engine.Call) *search {
	s := &search{limit: math.MaxInt64, left: freeCost}
	for c.More() {
		switch word := string(bytes.ToUpper(c.Arg())); word {
		case "EXACT", "MATCH", "GLOB", "RE":
			s.predicates = append(s.predicates, s.predicateArg(c, word))
		case "LIMIT":
			if !c.More() {
				c.Refuse(engine.ErrSyntax)
			}
			s.limit = limitArg(c)
		case "AND", "OR":
			s.and = word == "AND"
		case "WITHVALUES":
			s.withValues = true
		case "NOCASE":
			s.fold = true
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if len(s.predicates) == 0 {
		c.Refuse(engine.ErrSyntax)
	}
	return s
}

// predicateArg reads the text of another predicate.
func (s *search) predicateArg(c *engine.Call, kind string) predicate {
	switch {
	case !c.More():
		c.Refuse(engine.ErrSyntax)
	case len(s.predicates) == mostPredicates:
		c.Refusef(errPredicates, mostPredicates)
	}
	p := predicate{kind: kind, text: c.Arg()}
	if kind == "RE" && len(p.text) > longestRegex {
		c.Refusef(errRegexLong, longestRegex)
	}
	return p
}

// compile compiles the regular expressions, and folds the texts that are compared.
func (s *search) compile(c *engine.Call) {
	for i := range s.predicates {
		p := &s.predicates[i]
		switch {
		case c.Failed():
			return
		case p.kind == "RE" && len(p.text) == 0:
			c.Refuse(errEmptyRegex)
		case p.kind == "RE":
			p.compile(c, s.fold)
			if s.left -= p.cost * compileCost; s.left < 0 {
				c.Refuse(errSearch)
			}
		case p.kind == "GLOB":
			p.cost = globCost(p.text)
		case s.fold:
			p.text = appendFolded(nil, p.text)
		}
	}
}

// globCost returns how many instructions of a regular expression the pattern of GLOB is worth. What
// stands behind a star is compared from each byte on.
func globCost(pattern []byte) (cost int) {
	for _, part := range bytes.Split(pattern, []byte("*"))[1:] {
		cost = max(cost, len(part)/4)
	}
	return cost
}

// compile compiles the regular expression of RE.
func (p *predicate) compile(c *engine.Call, fold bool) {
	var err error
	p.regex, err = regex.Compile(p.text, fold)
	switch {
	case errors.Is(err, regex.ErrBackReference):
		c.Refusef(errNoRegex, err)
	case err != nil:
		c.Refusef(errRegex, err)
	default:
		p.cost = p.regex.Size()
	}
}

// matches reports whether an element matches.
func (s *search) matches(text []byte) bool {
	compared := text
	if s.fold {
		s.folded = appendFolded(s.folded[:0], text)
		compared = s.folded
	}
	for i := range s.predicates {
		if s.predicates[i].matches(text, compared, s.fold) != s.and {
			return !s.and
		}
	}
	return s.and
}

// matches reports whether an element matches. compared is the element, folded if fold says that
// case does not count.
func (p *predicate) matches(text, compared []byte, fold bool) bool {
	switch p.kind {
	case "EXACT":
		return bytes.Equal(compared, p.text)
	case "MATCH":
		return bytes.Contains(compared, p.text)
	case "GLOB":
		if fold {
			return glob.MatchFold(string(p.text), text)
		}
		return glob.Match(string(p.text), text)
	}
	return p.regex.Match(text)
}

// appendFolded appends a text with its ASCII letters in lower case.
func appendFolded(dst, text []byte) []byte {
	for _, b := range text {
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		dst = append(dst, b)
	}
	return dst
}
