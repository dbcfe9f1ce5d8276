package shutdown

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Errors with the texts of Redis.
const (
	errNoShutdown = command.Error("ERR No shutdown in progress.")
	errFailover   = command.Error("ERR SHUTDOWN FAILOVER is only supported in cluster mode.")
)

var family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "shutdown", Arity: -1, Flags: command.Admin | command.NoScript | command.Loading | command.Stale |
		command.NoMulti | command.AllowBusy, Run: cmdShutdown, Reply: "status", Since: "1.0.0",
		Was: []command.Was{{Before: release.NoValkey, Edit: func(cmd *command.Line) {
			cmd.Syntax = "abort-selector=[save-selector-block=<save-selector=[NOSAVE|SAVE] [NOW]@7.0.0 [FORCE]@7.0.0 " +
				"[SAFE]@valkey:9.0.0 [FAILOVER]@valkey:9.0.0>|ABORT@7.0.0]"
		}}},
		Syntax:     "save-selector(/nosave_save)=[NOSAVE|SAVE] [NOW]@7.0.0 [FORCE]@7.0.0 [ABORT]@7.0.0",
		Summary:    "Synchronously saves the database(s) to disk and shuts down the Redis server.",
		Complexity: "O(N), N being the number of keys in all databases",
		History: "7.0.0 The options `NOW`, `FORCE` and `ABORT`.\n" +
			"valkey:9.0.0 The options `SAFE` and `FAILOVER`."},
}}

// votesOnShutdown is since when SHUTDOWN has SAFE, which refuses to end a voting node of a cluster,
// and FAILOVER, which lets a replica take its place first. The only node of a cluster votes, and
// has no replica.
var votesOnShutdown = release.From("valkey:9.0.0")

// SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [SAFE] [FAILOVER] [ABORT]
func cmdShutdown(c *engine.Call) {
	var how engine.Shutdown
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
			c.Refuse(engine.ErrSyntax)
		}
	}
	busy, slow := c.Engine.Slow.Busy()
	isCluster := c.Engine.Config.Cluster
	switch {
	case abort && (how != (engine.Shutdown{}) || safe || failover) || how.Save && how.NoSave:
		c.Refuse(engine.ErrSyntax)
	case failover && !isCluster:
		c.Refuse(errFailover)
	case abort && !IsUnderway(c.Engine):
		c.Refuse(errNoShutdown)
	case slow && !how.NoSave:
		c.Refuse(busy)
	case c.Engine.Parts.Host.Exit == nil:
		c.Refuse(engine.ErrShutdown)
	}
	if !c.OK() {
		return
	}
	if abort {
		of(c.Engine).abort()
		c.Engine.Log('*', "Shutdown manually aborted.")
		c.Reply.Status("OK")
		return
	}
	if safe && !how.Force && isCluster {
		c.Engine.Log('#', "This is a voting primary. Shutting down may cause the cluster to go down. Can't exit.")
		c.Fail(engine.ErrShutdown)
		return
	}
	endServer(c, how)
}
