package engine

import (
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// After a latched error a call looks up no keys, so it neither removes keys that are due nor counts
// hits and misses. Redis returns at the first error.

// Read returns the value of key for reading. ok is false if the key is absent (v is nil then, and
// no error is sent). A value of another type latches ErrWrongType.
func Read[T keyspace.Value](c *Call, key []byte) (v T, ok bool) {
	if c.Failed() {
		return v, false
	}
	found, ok := c.DB.Find(key)
	c.CountLookup(key, ok)
	if !ok {
		return v, false
	}
	return typed[T](c, found)
}

// Edit returns the value of key for changing; the change takes effect with Changed. ok is false if
// the key is absent, or of another type, which latches ErrWrongType.
func Edit[T keyspace.Value](c *Call, key []byte) (v T, ok bool) {
	if c.Failed() {
		return v, false
	}
	found, ok := c.DB.Edit(key)
	if !ok {
		return v, false
	}
	return typed[T](c, found)
}

// Upsert is Edit, or an empty value of type t where the key is absent; ok is false for a value of
// another type, which latches ErrWrongType.
func Upsert[T keyspace.Value](c *Call, key []byte, t keyspace.Type) (v T, ok bool) {
	if c.Failed() {
		return v, false
	}
	found, ok := c.DB.Edit(key)
	if !ok {
		found = c.DB.Create(key, t)
	}
	return typed[T](c, found)
}

func typed[T keyspace.Value](c *Call, found keyspace.Value) (v T, ok bool) {
	v, ok = found.(T)
	if !ok {
		c.Refuse(ErrWrongType)
	}
	return v, ok
}

// Exists reports whether key is visible. It is a lookup for reading that leaves no access mark.
func (c *Call) Exists(key []byte) bool {
	ok := c.DB.Exists(key)
	c.CountLookup(key, ok)
	return ok
}

// CountLookup counts a lookup for reading as a hit or a miss.
func (c *Call) CountLookup(key []byte, found bool) {
	if found {
		c.Engine.stats.hits++
		return
	}
	c.Engine.stats.misses++
	if c.Engine.Config.Events != 0 {
		c.World.notify(c.DB, key, event.KeyMiss)
	}
}

// AsStored returns the handler with all that is stored in its sight: also a key that is due and
// that nothing has removed yet.
func AsStored(h Handler) Handler {
	return func(c *Call) { c.World.Keyspace.AsStored(func() { h(c) }) }
}

// PeekValue returns the value of key for a look at how it is stored, which is no access to it. If
// the key is absent it replies with an error, and ok is false.
func (c *Call) PeekValue(key []byte) (v keyspace.Value, ok bool) {
	if v, ok = c.DB.Peek(key); !ok {
		c.Fail(ErrNoKey)
	}
	return v, ok
}
