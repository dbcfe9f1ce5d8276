package arrays

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// upsert returns the array at key for changing, an empty one if the key is absent. ok is false if
// an error was sent.
func upsert(c *engine.Call, key []byte) (a *array.Array, ok bool) {
	a, _ = engine.Upsert[*array.Array](c, key, array.Type)
	return a, c.OK()
}

// changed reports a change of n elements.
func changed(c *engine.Call, key []byte, name string, n int) {
	c.Changed(key, event.Array(name))
	c.AddChanges(n - 1)
}

// ARSET key index value [value ...]
func cmdARSet(c *engine.Call) {
	key, index, values := c.Arg(), indexArg(c, array.MaxIndex), c.Rest()
	if uint64(len(values)) > math.MaxUint64-index {
		c.Refuse(errOverflow)
	}
	a, ok := upsert(c, key)
	if !ok {
		return
	}
	added := a.SetAll(index, values, limits(c))
	changed(c, key, "arset", len(values))
	c.Reply.Int(int64(added))
}

// ARMSET key index value [index value ...]
func cmdARMSet(c *engine.Call) {
	key := c.Arg()
	if c.Left()%2 != 0 {
		refuseArity(c)
	}
	indexes, values := make([]uint64, 0, c.Left()/2), make([][]byte, 0, c.Left()/2)
	for c.More() {
		indexes, values = append(indexes, indexArg(c, array.MaxIndex)), append(values, c.Arg())
	}
	a, ok := upsert(c, key)
	if !ok {
		return
	}
	added := 0
	for i, index := range indexes {
		if a.Set(index, values[i], limits(c)) {
			added++
		}
	}
	changed(c, key, "armset", len(indexes))
	c.Reply.Int(int64(added))
}

// ARDEL key index [index ...]
func cmdARDel(c *engine.Call) {
	key, indexes := c.Arg(), indexesArg(c)
	remove(c, key, "ardel", func(a *array.Array) (deleted int) {
		for _, index := range indexes {
			deleted += a.DeleteRange(index, index, limits(c))
		}
		return deleted
	})
}

// ARDELRANGE key start end [start end ...]
func cmdARDelRange(c *engine.Call) {
	key := c.Arg()
	if c.Left()%2 != 0 {
		refuseArity(c)
	}
	indexes := indexesArg(c)
	remove(c, key, "ardelrange", func(a *array.Array) (deleted int) {
		for i := 0; i < len(indexes); i += 2 {
			from, to := indexes[i], indexes[i+1]
			deleted += a.DeleteRange(min(from, to), max(from, to), limits(c))
		}
		return deleted
	})
}

// remove deletes elements of the array at key, and replies with their number.
func remove(c *engine.Call, key []byte, name string, del func(a *array.Array) (deleted int)) {
	a, found := engine.Edit[*array.Array](c, key)
	if !c.OK() {
		return
	}
	deleted := 0
	if found {
		if deleted = del(a); deleted > 0 {
			changed(c, key, name, deleted)
		}
	}
	c.Reply.Int(int64(deleted))
}
