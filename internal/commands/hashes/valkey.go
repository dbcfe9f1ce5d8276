package hashes

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// HGETEX and HSETEX as Valkey 9 reads and propagates them: see [elements.AsValkey].

// parseAsValkey reads the options of both commands and the fields, per arguments for each. The time
// is read by parseTime.
func (o *fieldOptions) parseAsValkey(c *engine.Call, per int) {
	l := elements.Clause{Kind: Type.Elements, Per: per, BadCount: elements.ErrNumFields}
	const key = 1 // may be the word as well
	l.ParseLast(c, key, func() bool { return o.expiry.ParseOption(c) || o.parseWord(c, per) }, string(engine.ErrSyntax))
	o.fields, o.word, o.given = l.List, l.At, o.expiry.Given
}

// parseWord moves past an option without an argument and reports whether it did.
func (o *fieldOptions) parseWord(c *engine.Call, per int) bool {
	switch x := &o.expiry; {
	case per == 1 && !x.Given && c.Word("PERSIST"):
		x.Persist, o.persist = true, true
	case per == 1:
		return false
	case !o.xx && c.Word("NX"):
		o.nx = true
	case !o.nx && c.Word("XX"):
		o.xx = true
	case !o.fxx && c.Word("FNX"):
		o.fnx = true
	case !o.fnx && c.Word("FXX"):
		o.fxx = true
	case !x.Given && c.Word("KEEPTTL"):
		x.KeepTTL, o.keepTTL = true, true
	default:
		return false
	}
	return true
}

// parseTime reads the time among the options as the deadline.
func (o *fieldOptions) parseTime(c *engine.Call) {
	if o.given {
		o.deadline = o.expiry.LateDeadline(c)
	}
}

// asSet returns the arguments of HSETEX with a deadline in place of a time, and without conditions,
// which hold.
func (o *fieldOptions) asSet(c *engine.Call) [][]byte {
	args := c.Args
	if o.given {
		args = o.expiry.WithDeadline(c, o.deadline)
	}
	isCondition := func(arg []byte) bool {
		return command.IsWord(arg, "NX") || command.IsWord(arg, "XX") || command.IsWord(arg, "FNX") ||
			command.IsWord(arg, "FXX")
	}
	return slices.Concat(args[:2], slices.DeleteFunc(slices.Clone(args[2:o.word]), isCondition), args[o.word:])
}
