package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
)

// Server is the family of commands about the server itself.
func Server() command.Family {
	const admin = command.Admin | command.NoScript | command.Loading | command.Stale
	return command.Family{Group: "server", Commands: []command.Line{
		{Name: "info", Arity: -1, Flags: command.Loading | command.Stale | command.Harmless, Run: cmdInfo, Reply: "text", Since: "1.0.0", ACL: "dangerous",
			Syntax: "[section...]", Summary: "Returns information and statistics about the server.",
			Tips: "nondeterministic_output request_policy:all_shards response_policy:special", Complexity: "O(1)",
			History: "7.0.0 Takes several sections."},
		{Name: "config", Arity: -2, Since: "2.0.0", Subs: configSubs(),
			Complexity: "Depends on the subcommand", Summary: "A container for server configuration commands."},
		{Name: "time", Arity: 1, Flags: command.Loading | command.Stale | command.Fast | command.Harmless, Run: cmdTime, Reply: "time", Since: "2.6.0",
			Summary: "Returns the server time.", Tips: "nondeterministic_output", Complexity: "O(1)"},
		{Name: "shutdown", Arity: -1, Flags: admin | command.NoMulti | command.AllowBusy, Run: cmdShutdown, Reply: "status", Since: "1.0.0",
			Was: []command.Was{{Before: release.NoValkey, Edit: func(cmd *command.Line) {
				cmd.Syntax = "abort-selector=[save-selector-block=<save-selector=[NOSAVE|SAVE] [NOW]@7.0.0 [FORCE]@7.0.0 [SAFE]@valkey:9.0.0 [FAILOVER]@valkey:9.0.0>|ABORT@7.0.0]"
			}}},
			Syntax:     "save-selector(/nosave_save)=[NOSAVE|SAVE] [NOW]@7.0.0 [FORCE]@7.0.0 [ABORT]@7.0.0",
			Summary:    "Synchronously saves the database(s) to disk and shuts down the Redis server.",
			Complexity: "O(N), N being the number of keys in all databases",
			History: "7.0.0 The options `NOW`, `FORCE` and `ABORT`.\n" +
				"valkey:9.0.0 The options `SAFE` and `FAILOVER`."},
		{Name: "lolwut", Arity: -1, Flags: command.ReadOnly | command.Fast, Run: cmdLolwut, Reply: "text", Since: "5.0.0",
			Syntax: "[VERSION version]", Summary: "Displays computer art and the server's version.", Complexity: "O(1)"},
	}, Wordings: slices.Concat(wholeWordings, settingWordings, gateWordings)}
}

// wholeWordings are the errors about commands, subcommands and their arguments before 7.0.
var wholeWordings = []command.Wording{
	{Before: "7.0.0", Error: ErrSubArgs, Was: "ERR Unknown subcommand or wrong number of arguments for '%s'. Try %s HELP."},
	{Before: "7.0.0", Error: command.ErrUnknownCommand, Was: "ERR unknown command `%s`, with args beginning with: %s"},
	{Before: "7.0.0", Error: command.ErrUnknownArg, Was: "`%s`, "},
	{Before: "7.0.0", Error: ErrPairsArity, Was: "ERR wrong number of arguments for %[2]s"},
	{Before: "7.0.0", Error: ErrExpireTime, Was: "ERR invalid expire time in %s"},
	{Before: "7.0.0", Error: ErrRewriteAll, Was: "ERR CONFIG-REWRITE-FORCE-ALL failed"},
}

// frozenTime is since when TIME stands still in a script or a transaction, unless a script is past its time limit.
var frozenTime = release.From("7.2.0")

// TIME
func cmdTime(c *Call) {
	now := c.World.time.micros
	if busy := c.Engine.slow.session != nil; busy || c.Nested() && !c.Has(frozenTime) {
		now = c.World.Clock()
	}
	c.Reply.Array(2)
	c.Reply.Bulk(strconv.AppendInt(c.Scratch(), now/1e6, 10))
	c.Reply.Bulk(strconv.AppendInt(c.Scratch(), now%1e6, 10))
}

// votesOnShutdown is since when SHUTDOWN has SAFE, which refuses to end a voting node of a cluster, and FAILOVER, which lets a replica take
// its place first. The only node of a cluster votes, and has no replica.
var votesOnShutdown = release.From("valkey:9.0.0")

// SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [SAFE] [FAILOVER] [ABORT]
func cmdShutdown(c *Call) {
	var how Shutdown
	var abort, safe, failover bool
	for c.More() {
		switch {
		case c.Word("NOSAVE"):
			how.NoSave = true
		case c.Word("SAVE"):
			how.Save = true
		case c.Word("NOW"):
			how.Now = true
		case c.Word("FORCE"):
			how.Force = true
		case c.Word("ABORT"):
			abort = true
		case c.Has(votesOnShutdown) && c.Word("SAFE"):
			safe = true
		case c.Has(votesOnShutdown) && c.Word("FAILOVER"):
			failover = true
		default:
			c.Refuse(ErrSyntax)
		}
	}
	switch {
	case abort && (how != (Shutdown{}) || safe || failover) || how.Save && how.NoSave:
		c.Refuse(ErrSyntax)
	case failover && !c.Engine.cluster.enabled:
		c.Refuse(ErrShutdownFailover)
	case abort && !c.Engine.ShuttingDown():
		c.Refuse(ErrNoShutdown)
	case c.Engine.slow.session != nil && !how.NoSave:
		c.Refuse(c.Engine.slow.busy)
	case c.Engine.Parts.Host.Exit == nil:
		c.Refuse(ErrShutdown)
	}
	if !c.OK() {
		return
	}
	if abort {
		c.Engine.abortShutdown()
		c.Engine.Log('*', "Shutdown manually aborted.")
		c.Reply.Status("OK")
		return
	}
	if safe && !how.Force && c.Engine.cluster.enabled {
		c.Engine.Log('#', "This is a voting primary. Shutting down may cause the cluster to go down. Can't exit.")
		c.Fail(ErrShutdown)
		return
	}
	c.endServer(how)
}

// endServer ends the server, now or when the replicas have everything.
func (c *Call) endServer(how Shutdown) {
	e := c.Engine
	switch waits, err := e.beginShutdown(how); {
	case err != nil:
		c.Fail(err)
	case waits:
		if w := c.Block(0, func(*Session) {}); w != nil {
			e.shutdown.waiting = append(e.shutdown.waiting, w)
		}
	default:
		c.Session.CloseAfterReply() // there is no reply: the connection ends with the server
	}
}

// signsAsValkey is since when LOLWUT shows the name of Valkey.
var signsAsValkey = release.From("valkey:9.1.0")

// LOLWUT [VERSION version] [arguments]. A field of dice.
func cmdLolwut(c *Call) {
	if c.Left() > 1 && c.Word("VERSION") {
		c.Int()
	}
	if !c.OK() {
		return
	}
	const shades = " .:-=+*#%@"
	var b strings.Builder
	for range 6 {
		for range 40 {
			b.WriteByte(shades[c.World.Dice(uint64(len(shades)))])
		}
		b.WriteByte('\n')
	}
	name := "Redis"
	if c.Has(signsAsValkey) {
		name = "Valkey"
	}
	b.WriteString("\n" + name + " ver. " + c.Engine.Release.Version + ", as miniserver " + Version + " tells it\n")
	c.Reply.Verbatim("txt", []byte(b.String()))
}
