package engine

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/keyspace"
)

// groupLines returns the lines of the stream family that are about groups.
func groupLines() []Command {
	return []Command{
		{Name: "xgroup", Arity: -2, Since: "5.0.0", Summary: "A container for consumer groups commands.", Subs: []Command{
			{Name: "create", Arity: -5, Flags: Write | DenyOOM, Keys: Key(2), Run: cmdXGroupCreate, Since: "5.0.0",
				Summary: "Creates a consumer group."},
			{Name: "createconsumer", Arity: 5, Flags: Write | DenyOOM, Keys: Key(2), Run: cmdXGroupCreateConsumer, Since: "6.2.0",
				Summary: "Creates a consumer in a consumer group."},
			{Name: "delconsumer", Arity: 5, Flags: Write, Keys: Key(2), Run: cmdXGroupDelConsumer, Since: "5.0.0",
				Summary: "Deletes a consumer from a consumer group."},
			{Name: "destroy", Arity: 4, Flags: Write, Keys: Key(2), Run: cmdXGroupDestroy, Since: "5.0.0",
				Summary: "Destroys a consumer group."},
			{Name: "help", Arity: 2, Flags: Loading | Stale, Run: cmdXGroupHelp, ACL: "stream", Since: "5.0.0",
				Summary: "Returns helpful text about the different subcommands."},
			{Name: "setid", Arity: -5, Flags: Write, Keys: Key(2), Run: cmdXGroupSetID, Since: "5.0.0",
				Summary: "Sets the last-delivered ID of a consumer group."},
		}},
		{Name: "xack", Arity: -4, Flags: Write | Fast, Keys: Key(1), Run: cmdXAck, Since: "5.0.0",
			Summary: "Returns the number of messages that were successfully acknowledged by the consumer group member of a stream."},
		{Name: "xpending", Arity: -3, Flags: ReadOnly, Keys: Key(1), Run: cmdXPending, Since: "5.0.0",
			Summary: "Returns the information and entries from a stream consumer group's pending entries list."},
		{Name: "xclaim", Arity: -6, Flags: Write | Fast, Keys: Key(1), Run: cmdXClaim, Since: "5.0.0",
			Summary: "Changes, or acquires, ownership of a message in a consumer group, as if the message was delivered a consumer group member."},
		{Name: "xautoclaim", Arity: -6, Flags: Write | Fast, Keys: Key(1), Run: cmdXAutoClaim, Since: "6.2.0",
			Summary: "Changes, or acquires, ownership of messages in a consumer group, as if the messages were delivered to as consumer group member."},
		{Name: "xinfo", Arity: -2, Since: "5.0.0", Summary: "A container for stream introspection commands.", Subs: []Command{
			{Name: "consumers", Arity: 4, Flags: ReadOnly, Keys: Key(2), Run: cmdXInfoConsumers, Since: "5.0.0",
				Summary: "Returns a list of the consumers in a consumer group."},
			{Name: "groups", Arity: 3, Flags: ReadOnly, Keys: Key(2), Run: cmdXInfoGroups, Since: "5.0.0",
				Summary: "Returns a list of the consumer groups of a stream."},
			{Name: "help", Arity: 2, Flags: Loading | Stale, Run: cmdXInfoHelp, ACL: "stream", Since: "5.0.0",
				Summary: "Returns helpful text about the different subcommands."},
			{Name: "stream", Arity: -3, Flags: ReadOnly, Keys: Key(2), Run: cmdXInfoStream, Since: "5.0.0",
				Summary: "Returns information about a stream."},
		}},
	}
}

// XGROUP CREATE key group <id | $> [MKSTREAM] [ENTRIESREAD entries-read]
func cmdXGroupCreate(c *Call) {
	key, name, id := c.Arg(), c.Arg(), c.Arg()
	read, mkStream := c.groupOptions(true)
	if c.Failed() {
		c.OK()
		return
	}
	s, found := Edit[*stream.Stream](c, key)
	switch {
	case !found && !mkStream:
		c.Refuse(ErrGroupNoKey)
	case len(c.Args) > 8: // an option given twice
		c.Refuse(c.subSyntaxError())
	}
	if !found && !c.Failed() {
		s, _ = Upsert[*stream.Stream](c, key, keyspace.Stream)
	}
	last := c.groupID(s, id, false)
	if !c.OK() {
		return
	}
	if s.AddGroup(name, last, read) == nil {
		c.Fail(ErrGroupExists)
		return
	}
	if found {
		c.Noted(key, "txgroup-create")
	} else {
		c.Changed(key, "txgroup-create")
	}
	c.Reply.Status("OK")
}

// XGROUP SETID key group <id | $> [ENTRIESREAD entries-read]
func cmdXGroupSetID(c *Call) {
	key, name, id := c.Arg(), c.Arg(), c.Arg()
	read, _ := c.groupOptions(false)
	s, g := c.groupToEdit(key, name)
	if g == nil {
		return
	}
	if len(c.Args) != 5 && len(c.Args) != 7 {
		c.Refuse(c.subSyntaxError())
	}
	last := c.groupID(s, id, true)
	if !c.OK() {
		return
	}
	g.Last, g.Read = last, read
	c.Noted(key, "txgroup-setid")
	c.Reply.Status("OK")
}

// groupOptions reads [MKSTREAM], where one may create, and [ENTRIESREAD entries-read].
func (c *Call) groupOptions(create bool) (read int64, mkStream bool) {
	read = stream.Unknown
	for c.More() {
		switch {
		case create && c.Word("MKSTREAM"):
			mkStream = true
		case c.Left() > 1 && c.Word("ENTRIESREAD"):
			if read = c.Int(); read < stream.Unknown {
				c.Refuse(ErrGroupRead)
			}
		default:
			c.Refuse(c.subSyntaxError())
		}
	}
	return read, mkStream
}

// groupID reads an ID at which a group is to be, "$" being the stream's last; "-" and "+" count where
// Redis lets them.
func (c *Call) groupID(s *stream.Stream, arg []byte, ends bool) (id stream.ID) {
	switch {
	case c.Failed(), ends && string(arg) == "-":
		return id
	case ends && string(arg) == "+":
		return stream.MaxID
	case string(arg) == "$":
		return s.Last()
	}
	id, ok := parseStreamID(arg, 0)
	if !ok {
		c.Refuse(ErrStreamID)
	}
	return id
}

// groupToEdit returns a group that XGROUP is about, and its stream; nil if an error was sent.
func (c *Call) groupToEdit(key, name []byte) (s *stream.Stream, g *stream.Group) {
	if !c.Failed() {
		var found bool
		if s, found = Edit[*stream.Stream](c, key); !found {
			c.Refuse(ErrGroupNoKey)
		} else if g = s.Group(name); g == nil {
			c.Refusef(ErrGroupNone, CText(name), CText(key))
		}
	}
	if !c.OK() {
		return nil, nil
	}
	return s, g
}

// XGROUP DESTROY key group
func cmdXGroupDestroy(c *Call) {
	key, name := c.Arg(), c.Arg()
	s, found := Edit[*stream.Stream](c, key)
	if !found {
		c.Fail(ErrGroupNoKey)
		return
	}
	if !s.RemoveGroup(name) {
		c.Reply.Int(0)
		return
	}
	c.Noted(key, "txgroup-destroy")
	c.SignalKey(key)
	c.Reply.Int(1)
}

// XGROUP CREATECONSUMER key group consumer
func cmdXGroupCreateConsumer(c *Call) {
	key, name, consumer := c.Arg(), c.Arg(), c.Arg()
	_, g := c.groupToEdit(key, name)
	switch {
	case g == nil:
	case g.AddConsumer(consumer, c.Now()) == nil:
		c.Reply.Int(0)
	default:
		c.Noted(key, "txgroup-createconsumer")
		c.Reply.Int(1)
	}
}

// XGROUP DELCONSUMER key group consumer
func cmdXGroupDelConsumer(c *Call) {
	key, name, consumer := c.Arg(), c.Arg(), c.Arg()
	_, g := c.groupToEdit(key, name)
	if g == nil {
		return
	}
	n := g.RemoveConsumer(consumer)
	if n >= 0 {
		c.Noted(key, "txgroup-delconsumer")
	}
	c.Reply.Int(int64(max(n, 0)))
}

// XGROUP HELP
func cmdXGroupHelp(c *Call) {
	c.Help(
		"CREATE <key> <groupname> <id|$> [option]",
		"    Create a new consumer group. Options are:",
		"    * MKSTREAM",
		"      Create the empty stream if it does not exist.",
		"    * ENTRIESREAD entries_read",
		"      Set the group's entries_read counter (internal use).",
		"CREATECONSUMER <key> <groupname> <consumer>",
		"    Create a new consumer in the specified group.",
		"DELCONSUMER <key> <groupname> <consumer>",
		"    Remove the specified consumer.",
		"DESTROY <key> <groupname>",
		"    Remove the specified group.",
		"SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]",
		"    Set the current group ID and entries_read counter.",
	)
}

// XACK key group id [id ...]
func cmdXAck(c *Call) {
	key, name := c.Arg(), c.Arg()
	s, found := Edit[*stream.Stream](c, key)
	var g *stream.Group
	if found {
		g = s.Group(name)
	}
	if g == nil {
		if c.OK() {
			c.Reply.Int(0)
		}
		return
	}
	var room [8]stream.ID
	ids, ok := c.streamIDs(room[:0])
	if !ok {
		return
	}
	n := 0
	for _, id := range ids {
		if g.Ack(id) {
			n++
		}
	}
	if n > 0 {
		c.Noted(key, "")
	}
	c.Reply.Int(int64(n))
}

// member returns the consumer of that name, seen now, and creates it where there is none. The caller
// settles the stream.
func (c *Call) member(key []byte, g *stream.Group, group, name []byte) *stream.Consumer {
	if member := g.Consumer(name); member != nil {
		member.Seen = c.Now()
		return member
	}
	member := g.AddConsumer(name, c.Now())
	c.note(key, "txgroup-createconsumer")
	if c.Propagates() {
		c.Log([]byte("XGROUP"), []byte("CREATECONSUMER"), key, group, name)
	}
	return member
}

// logGroup journals how far a group has read.
func (c *Call) logGroup(key, name []byte, g *stream.Group) {
	if c.Propagates() {
		c.Log([]byte("XGROUP"), []byte("SETID"), key, name, g.Last.Append(nil), []byte("ENTRIESREAD"), Decimal(g.Read))
	}
}

// logMessage journals who has a message, since when and how often it was delivered.
func (c *Call) logMessage(key, group []byte, g *stream.Group, p *stream.Pending) {
	if !c.Propagates() {
		return
	}
	c.Log([]byte("XCLAIM"), key, group, []byte(p.Consumer().Name()), []byte("0"), p.ID.Append(nil),
		[]byte("TIME"), Decimal(p.Delivered), []byte("RETRYCOUNT"), Decimal(p.Count),
		[]byte("FORCE"), []byte("JUSTID"), []byte("LASTID"), g.Last.Append(nil))
}
