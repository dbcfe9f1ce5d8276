package arrays

import (
	"strconv"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// indexArg reads the next argument, an index of at most a greatest one.
func indexArg(c *engine.Call, most uint64) uint64 {
	text := c.Arg()
	index, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil || index > most || len(text) > 1 && text[0] == '0' || text[0] == '+' {
		c.Refuse(errIndex)
	}
	return index
}

// indexesArg reads all arguments that follow as indexes.
func indexesArg(c *engine.Call) (list []uint64) {
	list = make([]uint64, 0, c.Left())
	for c.More() {
		list = append(list, indexArg(c, array.MaxIndex))
	}
	return list
}

// refuseArity latches the error of a number of arguments that the command does not take.
func refuseArity(c *engine.Call) { c.Refusef(command.ErrArity, c.Cmd.FullName()) }

// noArray stands for an absent key. It stays empty.
var noArray array.Array

// read returns the array at key for reading, noArray if the key is absent. ok is false if an error
// was sent.
func read(c *engine.Call, key []byte) (a *array.Array, ok bool) {
	a, found := engine.Read[*array.Array](c, key)
	if !found {
		a = &noArray
	}
	return a, c.OK()
}

// mostItems is how many items a reply has at most that could be nothing but nils.
const mostItems = 1_000_000

// limits returns how arrays are kept.
func limits(c *engine.Call) array.Limits { return c.Engine.Config.Array }
