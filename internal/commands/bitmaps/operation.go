package bitmaps

import (
	"github.com/miniserver-go/miniserver/ds/bitmap"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// operation is one of BITOP's.
type operation struct {
	word string

	// step combines the result so far with a further source; nil for NOT, which inverts its only
	// one, and for ONE.
	step func(dst, src []byte)

	// last combines the first source with the result of all others; nil if the first source is
	// where the steps begin.
	last func(dst, src []byte)
}

var operations = [...]operation{
	{word: "AND", step: bitmap.And},
	{word: "OR", step: bitmap.Or},
	{word: "XOR", step: bitmap.Xor},
	{word: "NOT"},
	{word: "DIFF", step: bitmap.AndNot},
	{word: "DIFF1", step: bitmap.Or, last: bitmap.AndNot},
	{word: "ANDOR", step: bitmap.Or, last: bitmap.And},
	{word: "ONE"},
}

// parseOperation reads the name of an operation.
func parseOperation(c *engine.Call) *operation {
	for i := range operations {
		if c.Word(operations[i].word) {
			return &operations[i]
		}
	}
	c.Refuse(engine.ErrSyntax)
	return &operations[0]
}

// checkSources refuses a number of sources that the operation cannot have.
func (o *operation) checkSources(c *engine.Call, n int) {
	switch o.word {
	case "NOT":
		if n > 1 {
			c.Refuse(errNotSources)
		}
	case "DIFF", "DIFF1", "ANDOR":
		if n < 2 {
			c.Refusef(errFewSources, o.word)
		}
	}
}

// combineInto fills result, of at most blockBytes, with the combination of sources and returns it.
// Shorter sources continue with zeros.
func (o *operation) combineInto(result []byte, sources [][]byte) []byte {
	if o.last != nil {
		o.fold(result, sources[1:])
		o.last(result, sources[0])
		return result
	}
	o.fold(result, sources)
	return result
}

// fold fills result with the combination of sources, step by step from the first one.
func (o *operation) fold(result []byte, sources [][]byte) {
	clear(result[copy(result, sources[0]):])
	switch o.word {
	case "NOT":
		bitmap.Not(result)
	case "ONE":
		var block [blockBytes]byte
		more := block[:len(result)]
		for _, src := range sources[1:] {
			bitmap.One(result, more, src)
		}
	default:
		for _, src := range sources[1:] {
			o.step(result, src)
		}
	}
}
