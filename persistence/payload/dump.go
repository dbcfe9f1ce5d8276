package payload

import (
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

// RESTORE and RESTORE-ASKING differ only for a cluster.
const (
	restoreSyntax = "key ttl serialized-value [REPLACE]@3.0.0 [ABSTTL]@5.0.0 [IDLETIME seconds]@5.0.0 [FREQ " +
		"frequency]@5.0.0"
	restoreHistory = "3.0.0 The option `REPLACE`.\n5.0.0 The option `ABSTTL`.\n5.0.0 The options `IDLETIME` and `FREQ`."
)

// DUMP key
func (p *payloads) cmdDump(c *engine.Call) {
	v, ok := engine.Read[keyspace.Value](c, c.Arg())
	if !ok {
		c.Reply.Null()
		return
	}
	p.encoder.Format = Format(c.Engine)
	p.buf = p.encoder.Payload(p.buf[:0], v)
	c.Reply.Bulk(p.buf)
	if cap(p.buf) > 1<<20 {
		p.buf = nil
	}
}

// restore holds the arguments of a RESTORE.
type restore struct {
	key, payload      []byte
	ttl               int64
	replace, absolute bool
	idle              int64
	freq              int
}

// RESTORE key ttl payload [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ frequency]
func cmdRestore(c *engine.Call) {
	r := restore{key: c.Arg(), idle: -1, freq: -1}
	text := c.Arg()
	r.payload = c.Arg()
	r.options(c)
	if !c.OK() {
		return
	}
	exists := c.DB.Exists(r.key)
	if exists && !r.replace {
		c.Fail(errBusyKey)
		return
	}
	r.ttl = ttlOf(c, text)
	if c.OK() {
		r.run(c, exists)
	}
}

// ttlOf parses the TTL. It is called late: Redis checks whether the key exists first.
func ttlOf(c *engine.Call, text []byte) int64 {
	n, err := strconv.ParseInt(string(text), 10, 64)
	switch {
	case err != nil:
		c.Refuse(engine.ErrNotInt)
	case n < 0:
		c.Refuse(errTTL)
	}
	return n
}

func (r *restore) options(c *engine.Call) {
	for c.More() {
		switch {
		case c.Word("REPLACE"):
			r.replace = true
		case c.Word("ABSTTL"):
			r.absolute = true
		case c.Left() > 1 && r.freq < 0 && c.Word("IDLETIME"):
			r.idle = c.IntIn(math.MinInt64, math.MaxInt64, engine.ErrNotInt)
			if r.idle < 0 {
				c.Refuse(errIdleTime)
			}
		case c.Left() > 1 && r.idle < 0 && c.Word("FREQ"):
			n := c.IntIn(math.MinInt64, math.MaxInt64, engine.ErrNotInt)
			if n < 0 || n > 255 {
				c.Refuse(errFreq)
			}
			r.freq = int(n)
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
}

// run decodes the payload and stores its value. A key whose deadline has passed is not stored.
func (r *restore) run(c *engine.Call, exists bool) {
	valid := rdb.ValidPayload
	if c.Engine.Config.AnyChecksum {
		valid = rdb.ReadablePayload
	}
	if !valid(r.payload, Versions(c.Engine)) {
		c.Fail(errPayload)
		return
	}
	o := Options(c.World, 0, false)
	o.Sanitize = c.World.Sanitizes(c.Session)
	v, err := rdb.ReadPayload(r.payload, o)
	if err != nil {
		c.Fail(errBadPayload)
		return
	}
	deadline := r.deadline(c)
	if !c.World.Keyspace.Replaying && (deadline != 0 && deadline <= c.Now() || r.expireElements(c, v)) {
		if exists {
			c.DB.Delete(r.key)
			c.PropagateRemoval(r.key, c.Engine.Config.LazyFree.ServerDel)
			c.Changed(r.key, event.Del)
		}
		c.Reply.Status("OK")
		return
	}
	r.put(c, v, deadline)
	c.Reply.Status("OK")
}

// expireElements removes expired elements from the value, and from the payload that is propagated.
// It reports whether no element is left.
func (r *restore) expireElements(c *engine.Call, v keyspace.Value) (all bool) {
	if d, ok := v.(keyspace.Collection); ok && d.Volatile() > 0 && d.Expire(c.Now(), math.MaxInt, nil) > 0 {
		if all = d.Len() == 0; !all {
			r.payload = (&rdb.Encoder{Compress: true, Format: Format(c.Engine)}).Payload(nil, v)
		}
	}
	return all
}

// deadline returns the key's deadline; 0 for none.
func (r *restore) deadline(c *engine.Call) int64 {
	switch {
	case r.ttl == 0:
		return 0
	case r.absolute:
		return c.World.DeadlineAt(r.ttl)
	case r.ttl > math.MaxInt64-c.Now():
		return math.MaxInt64
	}
	return c.Now() + r.ttl
}

func (r *restore) put(c *engine.Call, v keyspace.Value, deadline int64) {
	was := c.Replacing(c.DB, r.key)
	c.DB.Erase(r.key) // or the new value would be no new key to subscribers
	c.DB.SetUntil(r.key, v, deadline)
	c.DB.Marks().Set(r.key, r.idle, r.freq)
	line := append([][]byte{c.Args[0], r.key, c.Args[2], r.payload}, c.Args[4:]...)
	if r.ttl != 0 && !r.absolute {
		line[2] = resp.Decimal(deadline)
		line = append(line, []byte("ABSTTL"))
	}
	c.PropagateAs(line...)
	c.Changed(r.key, event.Generic("restore"))
	c.Replaced(c.DB, r.key, was)
}
