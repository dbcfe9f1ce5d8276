package engine

import (
	"math"
	"strconv"
)

// StringDebug is the subcommand of DEBUG that creates strings.
func StringDebug() DebugLine {
	return DebugLine{"populate", 1, 3, "<count> [<prefix>] [<size>]", "Create string keys named key:<num>, or with another prefix.", cmdDebugPopulate}
}

// DEBUG POPULATE count [prefix] [size]
func cmdDebugPopulate(c *Call) {
	count, prefix, size := c.IntIn(0, math.MaxInt64, ErrNotPositive), "key", int64(-1)
	if c.More() {
		prefix = string(c.Arg())
	}
	if c.More() {
		size = c.IntIn(0, math.MaxInt32, ErrNotPositive)
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
		if size >= 0 {
			value = append(make([]byte, 0, size), value[:min(len(value), int(size))]...)[:size]
		}
		c.Engine.Keyspace.Begin()
		c.setUntil(key, value, 0)
		c.logSet(key, value, 0, false) // a journal's reader may not know, or not allow, DEBUG
	}
	c.Reply.Status("OK")
}
