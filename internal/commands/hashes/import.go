package hashes

import (
	"bytes"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// HIMPORT of Redis 8.10 makes many hashes with the same fields. A fieldset has their names, and
// belongs to the client that prepared it: also where a script of that client uses it. Journals and
// replicas know no fieldsets, and get HSET.
//
// Redis keeps the names once for all hashes of a fieldset, if that saves memory. Here such a hash
// is like any other.

// Import returns the part with HIMPORT.
func Import() engine.Part {
	return engine.Part{Families: []command.Family{importFamily}, Detach: discardAll}
}

var importFamily = command.Family{Group: "hash", Commands: []command.Line{
	{Name: "himport", Arity: -2, Since: "8.10.0",
		Summary:    "A container for commands that create hashes of the same fields.",
		Complexity: "Depends on the subcommand", Subs: []command.Line{
			{Name: "prepare", Arity: -4, Flags: command.DenyOOM, Run: cmdHImportPrepare, Reply: "status",
				Since: "8.10.0", Syntax: "fieldset-name:string field:string...",
				Summary: "Names the fields of hashes that this client is about to create.",
				Tips:    "request_policy:all_shards", Complexity: "O(N), N being the number of fields"},
			{Name: "set", Arity: -5, Flags: command.Write | command.DenyOOM, Keys: command.Key(2, "OW update"),
				Run: cmdHImportSet, Reply: "status", Since: "8.10.0", Syntax: "key fieldset-name:string value...",
				Summary:    "Creates a hash of the fields that were named and these values.",
				Complexity: "O(N), N being the number of fields"},
			{Name: "discard", Arity: 3, Run: cmdHImportDiscard, Reply: "integer", Since: "8.10.0",
				Syntax: "fieldset-name:string", Summary: "Forgets a fieldset of this client.",
				Tips: "request_policy:all_shards", Complexity: "O(1)"},
			{Name: "discardall", Arity: 2, Run: cmdHImportDiscardAll, Reply: "integer", Since: "8.10.0",
				Summary: "Forgets all fieldsets of this client.", Tips: "request_policy:all_shards",
				Complexity: "O(N), N being the number of the client's fieldsets"},
		}},
}}

// fieldsets are those of a session, by name.
type fieldsets map[string]fieldset

// fieldset is the fields of hashes, in the order of their values in HIMPORT SET.
type fieldset struct {
	fields [][]byte
	bytes  int // that it takes
}

// What the tables take for a fieldset and for one of its fields beside the text, about, in bytes.
const (
	fieldsetBytes = 96
	fieldBytes    = 24
)

// HIMPORT PREPARE fieldset-name field [field ...]
func cmdHImportPrepare(c *engine.Call) {
	name, fields := c.Arg(), c.Rest()
	set := fieldset{fields: make([][]byte, len(fields)), bytes: fieldsetBytes + len(name)}
	distinct := make(map[string]bool, len(fields))
	for i, field := range fields {
		set.fields[i] = bytes.Clone(field)
		set.bytes += fieldBytes + len(field)
		distinct[string(field)] = true
	}
	if len(distinct) < len(fields) {
		c.Fail(errFieldTwice)
		return
	}
	s := c.Session.Client()
	sets := engine.PerSession[fieldsets](s)
	if *sets == nil {
		*sets = make(fieldsets)
	}
	sets.discard(s, string(name))
	(*sets)[string(name)] = set
	s.Keep(set.bytes)
	c.Reply.Status("OK")
}

// HIMPORT SET key fieldset-name value [value ...]
func cmdHImportSet(c *engine.Call) {
	key, name, values := c.Arg(), c.Arg(), c.Rest()
	set, prepared := (*engine.PerSession[fieldsets](c.Session.Client()))[string(name)]
	switch {
	case !prepared:
		c.Fail(errNoFieldset)
		return
	case len(values) != len(set.fields):
		c.Fail(errValueCount)
		return
	}
	_, replaces := engine.Read[*hash.Hash](c, key)
	if !c.OK() {
		return
	}
	h, limits := new(hash.Hash), c.World.HashLimits()
	h.Expect(len(values), limits)
	for i, field := range set.fields {
		h.Set(field, values[i], limits)
	}
	was := c.Replacing(c.DB, key)
	c.DB.Set(key, h, false)
	c.Replaced(c.DB, key, was)
	propagateImport(c, key, replaces, set.fields, values)
	c.Changed(key, event.Hash("hset"), set.fields...)
	c.Reply.Status("OK")
}

// propagateImport propagates a hash as commands that need no fieldset.
func propagateImport(c *engine.Call, key []byte, replaces bool, fields, values [][]byte) {
	if !c.Propagates() {
		return
	}
	if replaces {
		c.Propagate([]byte("DEL"), key)
	}
	line := [][]byte{[]byte("HSET"), key}
	for i, field := range fields {
		line = append(line, field, values[i])
	}
	c.Propagate(line...)
}

// HIMPORT DISCARD fieldset-name
func cmdHImportDiscard(c *engine.Call) {
	s, name := c.Session.Client(), string(c.Arg())
	c.Reply.Int(int64(engine.PerSession[fieldsets](s).discard(s, name)))
}

// HIMPORT DISCARDALL
func cmdHImportDiscardAll(c *engine.Call) {
	s := c.Session.Client()
	n := len(*engine.PerSession[fieldsets](s))
	discardAll(s)
	c.Reply.Int(int64(n))
}

// discard forgets a fieldset and returns how many there were of that name.
func (sets *fieldsets) discard(s *engine.Session, name string) (n int) {
	if set, prepared := (*sets)[name]; prepared {
		s.Keep(-set.bytes)
		delete(*sets, name)
		n++
	}
	return n
}

// discardAll forgets the fieldsets of a session.
func discardAll(s *engine.Session) {
	if sets := engine.KeptBy[fieldsets](s); sets != nil {
		for name := range *sets {
			sets.discard(s, name)
		}
	}
}
