package difftest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/transcript"
)

// Mode says how the replies of a command are compared.
type Mode struct {
	Order transcript.Order
	Near  int64 // times may differ by this much, at least two seconds
	Shape bool  // compares only kinds and lengths: the content is random
	Times bool  // ignores times in replies about streams
	Heap  bool  // compares the leaves, not their places
}

// shape is one line of a family, a command with blanks. Its grammar:
//
//	WORD        itself
//	$k          a value from the pool of that name; a line may also contain K$n
//	[ ... ]     or nothing
//	( a | b )   one of them
//	{ ... }     one to three times
//
// Marks before the command set its Mode:
//
//	~  aggregates in any order     %  pairs in any order     ?  only the shape counts
//	+N integers differ by N        !  rarely chosen         =  never broken on purpose
//	@  times of stream messages and consumers do not count
//	*  leaves anywhere
type shape struct {
	text string
	mode Mode
	rare bool
	safe bool // never broken on purpose
	node node
}

// parseShape parses a line of a family.
func parseShape(text string) (shape, error) {
	s := shape{text: text}
	tokens := strings.Fields(text)
	for len(tokens) > 0 && s.mark(tokens[0]) {
		tokens = tokens[1:]
	}
	p := shapeParser{tokens: tokens}
	s.node = p.sequence()
	if p.err == nil && len(p.tokens) > 0 {
		p.err = fmt.Errorf("unexpected %s", p.tokens[0])
	}
	if p.err != nil {
		return s, fmt.Errorf("%q: %w", text, p.err)
	}
	return s, nil
}

// mark applies a mark and reports whether token is one.
func (s *shape) mark(token string) bool {
	switch {
	case token == "~":
		s.mode.Order = transcript.Sorted
	case token == "%":
		s.mode.Order = transcript.Pairs
	case token == "?":
		s.mode.Shape = true
	case token == "*":
		s.mode.Heap = true
	case token == "@":
		s.mode.Times = true
	case token == "!":
		s.rare = true
	case token == "=":
		s.safe = true
	case token[0] == '+':
		near, err := strconv.ParseInt(token[1:], 10, 64)
		s.mode.Near = near
		return err == nil
	default:
		return false
	}
	return true
}

// node is a part of a shape: it appends arguments.
type node interface {
	expand(args []string, r *rand.Rand, p *pools) []string
}

type (
	word     string
	sequence []node
	choice   []node
	optional struct{ node }
	repeated struct{ node }
)

func (w word) expand(args []string, r *rand.Rand, p *pools) []string {
	before, name, found := strings.Cut(string(w), "$")
	if !found {
		return append(args, before)
	}
	return append(args, before+p.draw(name, r))
}

func (s sequence) expand(args []string, r *rand.Rand, p *pools) []string {
	for _, n := range s {
		args = n.expand(args, r, p)
	}
	return args
}

func (c choice) expand(args []string, r *rand.Rand, p *pools) []string {
	return c[r.IntN(len(c))].expand(args, r, p)
}

func (o optional) expand(args []string, r *rand.Rand, p *pools) []string {
	if r.IntN(2) == 0 {
		return args
	}
	return o.node.expand(args, r, p)
}

func (n repeated) expand(args []string, r *rand.Rand, p *pools) []string {
	for range 1 + r.IntN(3) {
		args = n.node.expand(args, r, p)
	}
	return args
}

// shapeParser is a recursive descent parser over the tokens of a line.
type shapeParser struct {
	tokens []string
	err    error
}

// sequence parses nodes up to a closing token or a separator.
func (p *shapeParser) sequence() node {
	var s sequence
	for len(p.tokens) > 0 && p.err == nil {
		token := p.tokens[0]
		switch token {
		case "]", ")", "}", "|":
			return s
		}
		p.tokens = p.tokens[1:]
		switch token {
		case "[":
			s = append(s, optional{p.sequence()})
			p.close("]")
		case "{":
			s = append(s, repeated{p.sequence()})
			p.close("}")
		case "(":
			s = append(s, p.choice())
		default:
			s = append(s, word(token))
		}
	}
	return s
}

func (p *shapeParser) choice() node {
	c := choice{p.sequence()}
	for len(p.tokens) > 0 && p.tokens[0] == "|" {
		p.tokens = p.tokens[1:]
		c = append(c, p.sequence())
	}
	p.close(")")
	return c
}

func (p *shapeParser) close(token string) {
	if len(p.tokens) == 0 || p.tokens[0] != token {
		p.err = fmt.Errorf("missing %s", token)
		return
	}
	p.tokens = p.tokens[1:]
}
