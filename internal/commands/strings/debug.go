package strings

import (
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// Debug is the subcommand of DEBUG that creates strings.
func Debug() engine.DebugLine {
	return engine.DebugLine{Name: "populate", Least: 1, Most: 3, Args: "<count> [<prefix>] [<size>]",
		About: "Create string keys named key:<num>, or with another prefix.", Run: cmdDebugPopulate}
}

// DEBUG POPULATE count [prefix] [size]
func cmdDebugPopulate(c *engine.Call) {
	count, prefix, size := c.IntIn(0, math.MaxInt64, engine.ErrNotPositive), "key", int64(0)
	if c.More() {
		prefix = string(c.Arg())
	}
	if c.More() {
		size = c.IntIn(0, math.MaxInt32, engine.ErrNotPositive)
	}
	if !c.OK() {
		return
	}
	for i := range count {
		key := []byte(prefix + ":" + strconv.FormatInt(i, 10))
		if c.DB.Exists(key) {
			continue
		}
		value := []byte("value:" + strconv.FormatInt(i, 10))
		if size > 0 {
			value = append(make([]byte, 0, size), value[:min(len(value), int(size))]...)[:size]
		}
		c.World.Keyspace.Begin()
		setUntil(c, key, value, 0)
		// DEBUG itself may be forbidden where the journal or a replica replays it
		c.Propagate([]byte("SET"), key, value)
	}
	c.Reply.Status("OK")
}
