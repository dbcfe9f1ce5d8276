package streams

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/resp"
)

// groupLines returns the lines of the commands on consumer groups, and of XINFO.
func groupLines() []command.Line {
	return []command.Line{
		{Name: "xgroup", Arity: -2, Since: "5.0.0",
			Was:        []command.Was{{Before: "7.0.0", Edit: func(cmd *command.Line) { cmd.Run = olderGroup }}},
			Complexity: "Depends on the subcommand",
			Summary:    "A container for consumer groups commands.", Subs: []command.Line{
				{Name: "create", Arity: -5, Flags: command.Write | command.DenyOOM, Keys: command.Key(2, "RW insert"),
					Run: cmdXGroupCreate, Reply: "status", Since: "5.0.0", Was: []command.Was{
						{Before: "7.4.0 valkey:8.0.0",
							Edit: command.Writes("entriesread(entries-read/", "entries-read(/")},
						{Before: "7.0.0", Edit: func(cmd *command.Line) { cmd.Run = olderCreate }}},
					Syntax: "key group(/groupname) id-selector(/id)=<id|new-id(/new_id)=$> [MKSTREAM] [ENTRIESREAD " +
						"entriesread(entries-read/entries_read):integer]",
					Summary: "Creates a consumer group.",
					Help: "<key> <groupname> <id|$> [option]\nCreate a new consumer group. Options are:\n" +
						"* MKSTREAM\n" +
						"  Create the empty stream if it does not exist.\n" +
						"* ENTRIESREAD entries_read\n" +
						"  Set the group's entries_read counter (internal use).",
					Complexity: "O(1)",
					History:    "7.0.0 The option `ENTRIESREAD`."},
				{Name: "createconsumer", Arity: 5, Flags: command.Write | command.DenyOOM,
					Keys: command.Key(2, "RW insert"), Run: cmdXGroupCreateConsumer, Reply: "integer", Since: "6.2.0",
					Syntax:     "key group(/groupname) consumer(/consumername)",
					Summary:    "Creates a consumer in a consumer group.",
					Help:       "<key> <groupname> <consumer>\nCreate a new consumer in the specified group.",
					Complexity: "O(1)"},
				{Name: "delconsumer", Arity: 5, Flags: command.Write, Keys: command.Key(2, "RW delete"),
					Run: cmdXGroupDelConsumer, Reply: "integer", Since: "5.0.0",
					Syntax:     "key group(/groupname) consumer(/consumername)",
					Summary:    "Deletes a consumer from a consumer group.",
					Help:       "<key> <groupname> <consumer>\nRemove the specified consumer.",
					Complexity: "O(N), N being the number of the consumer's pending entries"},
				{Name: "destroy", Arity: 4, Flags: command.Write, Keys: command.Key(2, "RW delete"),
					Run: cmdXGroupDestroy, Reply: "integer", Since: "5.0.0", Syntax: "key group(/groupname)",
					Summary: "Destroys a consumer group.", Help: "<key> <groupname>\nRemove the specified group.",
					Complexity: "O(N), N being the number of the group's pending entries"},
				engine.HelpLine("5.0.0"),
				{Name: "setid", Arity: -5, Flags: command.Write, Keys: command.Key(2, "RW update"), Run: cmdXGroupSetID,
					Reply: "status", Since: "5.0.0", Was: []command.Was{command.Before("7.0.0", "arity=5")},
					Syntax: "key group(/groupname) id-selector(/id)=<id|new-id(/new_id)=$> [ENTRIESREAD " +
						"entriesread(entries-read/entries_read):integer]",
					Summary: "Sets the last-delivered ID of a consumer group.",
					Help: "<key> <groupname> <id|$> [ENTRIESREAD entries_read]\n" +
						"Set the current group ID and entries_read counter.",
					Complexity: "O(1)",
					History:    "7.0.0 The option `ENTRIESREAD`."},
			}},
		{Name: "xack", Arity: -4, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdXAck, Reply: "integer", Since: "5.0.0", Was: []command.Was{command.Before("7.0.0", "+random")},
			Syntax: "key group id...",
			Summary: "Returns the number of messages that were successfully acknowledged by the consumer group " +
				"member of a stream.",
			Complexity: "O(1) for each ID"},
		{Name: "xpending", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
			Run: cmdXPending, Reply: "array", Since: "5.0.0",
			Syntax:  "key group filters=[[IDLE min-idle-time:integer]@6.2.0 start end count [consumer]]",
			Summary: "Returns the information and entries from a stream consumer group's pending entries list.",
			Tips:    "nondeterministic_output",
			Complexity: "O(N), N being the number of entries looked at; O(M) for the summary, " +
				"M being the number of consumers",
			History: "6.2.0 The option `IDLE`, and exclusive ranges."},
		{Name: "xclaim", Arity: -6, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdXClaim, Reply: "array", Since: "5.0.0",
			Syntax: "key group consumer min-idle-time id... " +
				"[IDLE ms] [TIME unix-time-milliseconds] [RETRYCOUNT count] [FORCE] [JUSTID] [LASTID lastid(/id)]",
			Summary: "Changes, or acquires, ownership of a message in a consumer group, " +
				"as if the message was delivered a consumer group member.",
			Tips: "nondeterministic_output", Complexity: "O(log N) for each ID, N being the number of pending entries"},
		{Name: "xautoclaim", Arity: -6, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW delete"),
			Run: cmdXAutoClaim, Reply: "array", Since: "6.2.0",
			Syntax: "key group consumer min-idle-time start [COUNT count] [JUSTID]",
			Summary: "Changes, or acquires, ownership of messages in a consumer group, " +
				"as if the messages were delivered to as consumer group member.",
			Tips: "nondeterministic_output", Complexity: "O(N), N being the number of pending entries looked at",
			History: "7.0.0 Replies with the IDs of entries that are gone."},
		infoLine(),
	}
}

// infoLine is the line of XINFO.
func infoLine() command.Line {
	return command.Line{Name: "xinfo", Arity: -2, Since: "5.0.0", Was: []command.Was{command.Before("7.0.0", "+random"),
		{Before: "7.0.0", Edit: func(cmd *command.Line) { cmd.Run = olderInfo }}},
		Complexity: "Depends on the subcommand",
		Summary:    "A container for stream introspection commands.", Subs: []command.Line{
			{Name: "consumers", Arity: 4, Flags: command.ReadOnly, Keys: command.Key(2, "RO access"),
				Run: cmdXInfoConsumers, Reply: "array", Since: "5.0.0",
				Syntax: "key group(/groupname)", Summary: "Returns a list of the consumers in a consumer group.",
				Help: "<key> <groupname>\nShow consumers of <groupname>.", Tips: "nondeterministic_output",
				Complexity: "O(N), N being the number of the group's consumers",
				History:    "7.2.0 Shows `inactive`; `idle` counts attempts to read too."},
			{Name: "groups", Arity: 3, Flags: command.ReadOnly, Keys: command.Key(2, "RO access"),
				Run: cmdXInfoGroups, Reply: "array", Since: "5.0.0",
				Syntax: "key", Summary: "Returns a list of the consumer groups of a stream.",
				Help: "\nShow the stream consumer groups.", Complexity: "O(N), N being the number of the " +
					"stream's groups", History: "7.0.0 Shows `entries-read` and `lag`."},
			infoHelp(),
			{Name: "stream", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(2, "RO access"),
				Run: cmdXInfoStream, Reply: "array", Since: "5.0.0",
				Syntax:  "key full-block(/full)=[FULL [COUNT count]]",
				Summary: "Returns information about a stream.",
				Help:    "<key> [FULL [COUNT <count>]\nShow information about the stream.",
				Complexity: "O(1), and with FULL O(N), N being the number of entries, " +
					"consumers and pending entries returned",
				History: "6.0.0 The option `FULL`.\n" +
					"7.0.0 Shows `max-deleted-entry-id`, `entries-added`, `recorded-first-entry-id`, " +
					"`entries-read` and `lag`.\n" +
					"7.2.0 Shows `active-time`; `seen-time` counts attempts to read too.\n" +
					"8.6.0 Shows `idmp-duration`, `idmp-maxsize`, `pids-tracked`, `iids-tracked`, " +
					"`iids-added` and `iids-duplicates`."},
		}}
}

// XGROUP CREATE key group <id | $> [MKSTREAM] [ENTRIESREAD entries-read]
func cmdXGroupCreate(c *engine.Call) {
	key, name, id := c.Arg(), c.Arg(), c.Arg()
	read, mkStream := groupOptions(c, true)
	if c.Failed() {
		c.OK()
		return
	}
	s, found := engine.Edit[*stream.Stream](c, key)
	switch {
	case !found && !mkStream:
		c.Refuse(errGroupNoKey)
	case len(c.Args) > 8: // an option given twice
		c.Refuse(c.SubSyntaxError())
	}
	if !found && !c.Failed() {
		s, _ = createStream(c, key)
	}
	last := groupID(c, s, id, false)
	if !c.OK() {
		return
	}
	if s.AddGroup(name, last, readAtMost(c, s, read)) == nil {
		c.Fail(errGroupExists)
		return
	}
	if found { // in Redis changes of groups are no changes of the key for WATCH
		c.ChangedUnwatched(key, event.Stream("xgroup-create"))
	} else {
		c.Changed(key, event.Stream("xgroup-create"))
	}
	c.Reply.Status("OK")
}

// XGROUP SETID key group <id | $> [ENTRIESREAD entries-read]
func cmdXGroupSetID(c *engine.Call) {
	key, name, id := c.Arg(), c.Arg(), c.Arg()
	read, _ := groupOptions(c, false)
	s, g := editGroup(c, key, name)
	if g == nil {
		return
	}
	if len(c.Args) != 5 && len(c.Args) != 7 {
		c.Refuse(c.SubSyntaxError())
	}
	last := groupID(c, s, id, true)
	if !c.OK() {
		return
	}
	g.Last, g.Read = last, readAtMost(c, s, read)
	c.ChangedUnwatched(key, event.Stream("xgroup-setid"))
	c.Reply.Status("OK")
}

// groupOptions reads [MKSTREAM], if create is set, and [ENTRIESREAD entries-read].
func groupOptions(c *engine.Call, create bool) (read int64, mkStream bool) {
	read = stream.Unknown
	for c.More() {
		switch {
		case create && c.Word("MKSTREAM"):
			mkStream = true
		case c.Left() > 1 && c.Has(knowsReads) && c.Word("ENTRIESREAD"):
			if read = c.Int(); read < stream.Unknown {
				c.Refuse(errGroupRead)
			}
		default:
			c.Refuse(c.SubSyntaxError())
		}
	}
	return read, mkStream
}

// readAtMost returns the number of entries that a group has read: since Redis 8.6 not more than
// were ever added, as the lag would be negative. Unknown, which is negative, stays.
func readAtMost(c *engine.Call, s *stream.Stream, read int64) int64 {
	if !c.Has(boundsReads) {
		return read
	}
	return min(read, s.Added())
}

// groupID returns the last delivered ID that arg sets for a group. "$" is the last ID of the
// stream. "-" and "+" are IDs only if ends is set: Redis accepts them in SETID, but not in CREATE.
func groupID(c *engine.Call, s *stream.Stream, arg []byte, ends bool) (id stream.ID) {
	switch {
	case c.Failed(), ends && string(arg) == "-":
		return id
	case ends && string(arg) == "+":
		return stream.MaxID
	case string(arg) == "$":
		return s.Last()
	}
	id, ok := parseID(arg, 0)
	if !ok {
		c.Refuse(errID)
	}
	return id
}

// editGroup returns a group and its stream for XGROUP to change, nil if an error was sent.
func editGroup(c *engine.Call, key, name []byte) (s *stream.Stream, g *stream.Group) {
	if !c.Failed() {
		var found bool
		if s, found = engine.Edit[*stream.Stream](c, key); !found {
			c.Refuse(errGroupNoKey)
		} else if g = s.Group(name); g == nil {
			c.Refusef(errNoGroup, command.CText(name), command.CText(key))
		}
	}
	if !c.OK() {
		return nil, nil
	}
	return s, g
}

// XGROUP DESTROY key group
func cmdXGroupDestroy(c *engine.Call) {
	key, name := c.Arg(), c.Arg()
	s, found := engine.Edit[*stream.Stream](c, key)
	if !found {
		c.Fail(errGroupNoKey)
		return
	}
	if !s.RemoveGroup(name) {
		c.Reply.Int(0)
		return
	}
	c.ChangedUnwatched(key, event.Stream("xgroup-destroy"))
	c.SignalKey(key) // clients that are blocked on the group end with an error
	c.Reply.Int(1)
}

// XGROUP CREATECONSUMER key group consumer
func cmdXGroupCreateConsumer(c *engine.Call) {
	key, name, consumer := c.Arg(), c.Arg(), c.Arg()
	_, g := editGroup(c, key, name)
	switch {
	case g == nil:
	case g.AddConsumer(consumer, c.Date()) == nil:
		c.Reply.Int(0)
	default:
		c.ChangedUnwatched(key, event.Stream("xgroup-createconsumer"))
		c.Reply.Int(1)
	}
}

// XGROUP DELCONSUMER key group consumer
func cmdXGroupDelConsumer(c *engine.Call) {
	key, name, consumer := c.Arg(), c.Arg(), c.Arg()
	_, g := editGroup(c, key, name)
	if g == nil {
		return
	}
	n := g.RemoveConsumer(consumer)
	if n >= 0 || !c.Has(deletesExisting) {
		c.ChangedUnwatched(key, event.Stream("xgroup-delconsumer"))
	}
	c.Reply.Int(int64(max(n, 0)))
}

// XACK key group id [id ...]
func cmdXAck(c *engine.Call) {
	key, name := c.Arg(), c.Arg()
	s, found := engine.Edit[*stream.Stream](c, key)
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
	ids, ok := idArgs(c, room[:0])
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
		c.ChangedUnwatched(key, event.Event{})
		c.AddChanges(n - 1)
	}
	c.Reply.Int(int64(n))
}

// upsertConsumer returns the consumer of a name and updates its seen time. It creates an absent
// one, and reports that. The caller commits the stream. Creating one is an event, but not a change
// for WATCH.
func upsertConsumer(c *engine.Call, key []byte, g *stream.Group,
	name []byte) (consumer *stream.Consumer, created bool) {
	if consumer = g.Consumer(name); consumer != nil {
		consumer.Seen = c.Date()
		return consumer, false
	}
	c.CountChange(key, event.Stream("xgroup-createconsumer"))
	return g.AddConsumer(name, c.Date()), true
}

// consumerLine is the command that creates a consumer.
func consumerLine(key, group, name []byte) [][]byte {
	return [][]byte{[]byte("XGROUP"), []byte("CREATECONSUMER"), key, group, name}
}

// propagateGroup propagates how far a group has read.
func propagateGroup(c *engine.Call, key, name []byte, g *stream.Group) {
	if c.Propagates() {
		c.Propagate(groupLine(c, key, name, g)...)
	}
}

// groupLine is the command that sets how far a group has read.
func groupLine(c *engine.Call, key, name []byte, g *stream.Group) [][]byte {
	line := [][]byte{[]byte("XGROUP"), []byte("SETID"), key, name, g.Last.Append(nil)}
	if c.Has(knowsReads) {
		line = append(line, []byte("ENTRIESREAD"), resp.Decimal(g.Read))
	}
	return line
}

// propagateMessage propagates the state of a pending message.
func propagateMessage(c *engine.Call, key, group []byte, last stream.ID, p *stream.Pending) {
	if c.Propagates() {
		c.Propagate(messageLine(key, group, last, p)...)
	}
}

// messageLine is the command that sets the state of a pending message: its consumer, delivery time
// and number of deliveries. last is the ID that the group has read last. Idle time and FORCE make
// it true whatever the receiver has of the message; JUSTID keeps the count.
func messageLine(key, group []byte, last stream.ID, p *stream.Pending) [][]byte {
	return [][]byte{[]byte("XCLAIM"), key, group, []byte(p.Consumer().Name()), []byte("0"), p.ID.Append(nil),
		[]byte("TIME"), resp.Decimal(p.Delivered), []byte("RETRYCOUNT"), resp.Decimal(p.Count),
		[]byte("FORCE"), []byte("JUSTID"), []byte("LASTID"), last.Append(nil)}
}
