package elements

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Since Redis 8.6, HEXPIRE and its variants, HGETEX and HSETEX take their options in any order,
// also after FIELDS numfields field [field ...]. Before, options came first, and the fields went up
// to the end.

// AnyOrder is when they began to.
var AnyOrder = release.From("8.6.0")

// Clause is FIELDS numfields field [field ...], or with a value after each field, among the options
// of a command.
type Clause struct {
	Kind *engine.Elements
	Per  int // arguments for each element: 2 with values

	Least    int   // arguments after the word without which Parse fails
	Arity    bool  // with the error for arguments that the command lacks
	BadCount error // for a number of elements that is none, or below one; nil: errElementsZero

	List [][]byte // the elements, with their values
	At   int      // position of the word in the call
}

// Parse reads the clause and options in any order, up to the end of the call. option moves past an
// option and reports whether it did.
func (l *Clause) Parse(c *engine.Call, option func() bool) {
	for c.More() {
		switch {
		case option():
		case !c.Word(l.Kind.Word):
			c.Refusef(errOption, c.Arg())
		case l.At > 0:
			c.Refusef(errClauseTwice, l.Kind.Word)
		default:
			l.parseElements(c)
		}
	}
	if l.At == 0 {
		c.Refusef(errNoClause, l.Kind.Word)
	}
}

// parseElements reads what follows the word.
func (l *Clause) parseElements(c *engine.Call) {
	l.At = c.Pos() - 1
	if c.Left() < l.Least {
		c.Refuse(l.tooShort(c))
		return
	}
	n, ok := resp.ParseInt(c.Arg())
	switch {
	case !ok || n < 1 || n > math.MaxInt32:
		c.Refuse(l.badCount())
	case n > int64(c.Left()/l.Per):
		c.Refuse(errClauseArity)
	default:
		l.List = c.Next(int(n) * l.Per)
	}
}

func (l *Clause) tooShort(c *engine.Call) error {
	if l.Arity {
		return c.Engine.Commands.Errorf(command.ErrArity, c.Cmd.FullName())
	}
	return command.Errorf(errClauseShort, l.Kind.Word, l.Kind.Noun, strings.TrimSuffix(l.Kind.Noun, "s"))
}

func (l *Clause) badCount() error {
	if l.BadCount != nil {
		return l.BadCount
	}
	return command.Errorf(errElementsZero, l.Kind.Word[:1]+l.Kind.Noun[1:])
}

// expiryArgs reads [NX | XX | GT | LT] FIELDS numfields field [field ...] in any order.
func expiryArgs(c *engine.Call, k *engine.Elements) (on ExpireConditions, names [][]byte, at int) {
	l := Clause{Kind: k, Per: 1, Least: 2}
	l.Parse(c, func() bool { return on.parse(c) })
	if !on.single() {
		c.Refuse(errConditions)
	}
	return on, l.List, l.At
}

// single reports whether there is at most one condition.
func (x ExpireConditions) single() bool {
	n := 0
	for _, is := range [...]bool{x.nx, x.xx, x.gt, x.lt} {
		if is {
			n++
		}
	}
	return n < 2
}
