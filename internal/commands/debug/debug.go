// Package debug is DEBUG: subcommands that look into a server, stop it, or end it, for tests. What
// needs a part is a line of [engine.Part]; what tunes something that is not here is accepted, for
// the sake of test suites.
package debug

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Family is DEBUG.
var Family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "debug", Arity: -2, Flags: command.Admin | command.NoScript | command.Loading | command.Stale |
		command.AllowScriptDebug | command.Protected | command.Internal, Run: cmdDebug, Reply: "any", Since: "1.0.0",
		Summary: "A container for debugging commands.", Complexity: "Depends on the subcommand"},
}}

// debugLines are the subcommands of DEBUG that the engine's release has, in the order of HELP. To
// COMMAND they are not there, as in Redis.
func debugLines(e *engine.Engine) []engine.DebugLine {
	lines := append(debugCore(), debugIgnored()...)
	for _, p := range e.Parts.List {
		lines = append(lines, p.Debug...)
	}
	lines = slices.DeleteFunc(lines, func(line engine.DebugLine) bool {
		return !e.Release.Shows(release.From(line.Since)) || line.Until != "" && e.Config.Listpacks() &&
			e.Release.Has(release.From(line.Until))
	})
	ordered := make([]engine.DebugLine, 0, len(lines))
	for _, name := range strings.Fields(debugOrder) {
		for _, line := range lines {
			if line.Name == name {
				ordered = append(ordered, line)
			}
		}
	}
	return ordered
}

// debugOrder is the order of the subcommands in DEBUG HELP of Redis 8.0, those of other releases
// among them.
const debugOrder = "aof-flush-sleep assert change-repl-id config-rewrite-force-all crash-and-recover digest " +
	"internal_secret digest-value " +
	"error leak log htstats htstats-key loadaof lua-always-replicate-commands replicate mallctl mallctl-str object " +
	"drop-cluster-packet-filter " +
	"close-cluster-link-on-packet-drop disable-cluster-random-ping oom panic populate protocol reload restart " +
	"sdslen segfault " +
	"set-active-expire quicklist-packed-threshold set-disable-deny-scripts set-skip-checksum-validation sleep " +
	"stringmatch-test structsize " +
	"listpack ziplist quicklist client-eviction pause-cron replybuffer repl-pause pause-after-fork " +
	"delay-rdb-client-free-second dict-resizing script mark-internal-client client-enforce-reply-list clusterlink"

func debugCore() []engine.DebugLine {
	const crash = "End the server at once, without saving."
	return []engine.DebugLine{
		{Name: "assert", About: crash, Run: cmdDebugCrash},
		{Name: "clusterlink", Least: 3, Most: 3, Args: "KILL <to|from|all> <node-id>",
			About: "Refused: there is no cluster.", Run: cmdDebugClusterLink, Since: "7.0.0"},
		{Name: "config-rewrite-force-all", About: "CONFIG REWRITE with all parameters.", Run: cmdDebugRewrite},
		{Name: "crash-and-recover", Most: math.MaxInt, Args: "[<milliseconds>]", About: aboutRestart,
			Run: cmdDebugRestart},
		{Name: "digest", About: "Return a hash of all data, equal to redis-server's of the same data.",
			Run: cmdDebugDigest},
		{Name: "digest-value", Most: math.MaxInt, Args: "<key> [<key> ...]",
			About: "Return the hash of each key's value.", Run: cmdDebugDigestValue},
		{Name: "error", Least: 1, Most: 1, Args: "<string>", About: "Reply with an error.",
			Run: func(c *engine.Call) { c.Reply.Error(command.Error(c.Arg())) }},
		{Name: "internal_secret", About: "Refused: there is no cluster.",
			Run: func(c *engine.Call) { c.Fail(errNoSecret) }, Since: "8.0.0"},
		{Name: "log", Least: 1, Most: 1, Args: "<message>", About: "Write a message to the server's log.",
			Run: cmdDebugLog},
		{Name: "oom", About: crash, Run: cmdDebugCrash},
		{Name: "panic", About: crash, Run: cmdDebugCrash},
		{Name: "protocol", Least: 1, Most: 1, Args: "<type>", About: "Reply with a value of a type of the protocol.",
			Run: cmdDebugProtocol},
		{Name: "quicklist-packed-threshold", Least: 1, Most: 1, Args: "<size>", About: aboutIgnored,
			Run: cmdDebugPackedThreshold, Since: "7.0.0"},
		{Name: "replybuffer", Least: 2, Most: 2, Args: "PEAK-RESET-TIME <NEVER|RESET|milliseconds>",
			About: aboutIgnored, Run: cmdDebugReplyBuffer, Since: "7.0.0"},
		{Name: "replybuffer", Least: 2, Most: 2, Args: "RESIZING <0|1>", About: aboutIgnored,
			Run: cmdDebugReplyBuffer, Since: "7.0.0"},
		{Name: "restart", Most: math.MaxInt, Args: "[<milliseconds>]", About: aboutRestart, Run: cmdDebugRestart},
		{Name: "segfault", About: crash, Run: cmdDebugCrash},
		{Name: "set-active-expire", Least: 1, Most: 1, Args: "<0|1>", About: "Turn active expiry on or off.",
			Run: cmdDebugSetActiveExpire},
		{Name: "set-disable-deny-scripts", Least: 1, Most: 1, Run: cmdDebugDenyScripts, Since: "7.0.0"},
		{Name: "set-skip-checksum-validation", Least: 1, Most: 1, Args: "<0|1>",
			About: "Check no checksum of RESTORE and snapshots, or do so again.", Run: cmdDebugChecksums},
		{Name: "sleep", Least: 1, Most: 1, Args: "<seconds>", About: "Stop the server for a while.",
			Run: cmdDebugSleep},
		{Name: "stringmatch-test", About: aboutIgnored,
			Run: func(c *engine.Call) { c.Reply.Status("Apparently Redis did not crash: test passed") }},
		{Name: "structsize", About: "Return the sizes of structures as Redis tells them.", Run: cmdDebugStructSize},
	}
}

const (
	aboutIgnored = "Accepted for the sake of test suites; changes nothing here."
	aboutRestart = "Refused: this server cannot start itself again."
)

// debugIgnored are the subcommands with an argument, as a rule, that tune or watch what is not
// here.
func debugIgnored() []engine.DebugLine {
	lines := []engine.DebugLine{
		{Name: "aof-flush-sleep", Args: "<microseconds>"},
		{Name: "client-enforce-reply-list", Args: "<0|1>", Since: "valkey:8.1.0"},
		{Name: "close-cluster-link-on-packet-drop", Args: "<0|1>", Since: "valkey:8.1.0"},
		{Name: "delay-rdb-client-free-second", Args: "<seconds>", Since: "valkey:8.1.0"},
		{Name: "dict-resizing", Args: "<0|1>", Since: "7.4.0 valkey:8.1.0"},
		{Name: "disable-cluster-random-ping", Args: "<0|1>", Since: "valkey:8.1.0"},
		{Name: "leak", Args: "<string>"},
		{Name: "lua-always-replicate-commands", Args: "<0|1>", Until: "7.0.0"},
		{Name: "pause-after-fork", Args: "<0|1>", Since: "valkey:8.1.0"},
		{Name: "pause-cron", Args: "<0|1>"},
	}
	for i := range lines {
		lines[i].Least, lines[i].Most, lines[i].About, lines[i].Run = 1, 1, aboutIgnored, cmdDebugIgnored
	}
	return append(lines,
		engine.DebugLine{Name: "drop-cluster-packet-filter", Least: 1, Most: 1, Args: "<packet-type>",
			About: aboutIgnored, Since: "7.0.0", Run: cmdDebugNumber},
		engine.DebugLine{Name: "mark-internal-client", Most: 1, Args: "[UNMARK]", About: aboutIgnored, Since: "8.0.0",
			Run: debugWord("UNMARK")},
		engine.DebugLine{Name: "repl-pause", Least: 1, Most: 1, Args: "<clear|after-fork|before-rdb-channel|on-streaming-repl-buf>", About: aboutIgnored, Since: "8.0.0",
			Run: debugWord("CLEAR", "AFTER-FORK", "BEFORE-RDB-CHANNEL", "ON-STREAMING-REPL-BUF")})
}

// Subcommands that change nothing, such as DEBUG PAUSE-CRON
func cmdDebugIgnored(c *engine.Call) { c.Reply.Status("OK") }

// DEBUG DROP-CLUSTER-PACKET-FILTER number
func cmdDebugNumber(c *engine.Call) {
	if c.Int(); c.OK() {
		c.Reply.Status("OK")
	}
}

// debugWord returns the handler of a subcommand that changes nothing and takes one of a few words,
// or no argument.
func debugWord(words ...string) engine.Handler {
	return func(c *engine.Call) {
		if c.More() && !slices.ContainsFunc(words, c.Word) {
			c.Fail(c.SubSyntaxError())
			return
		}
		c.Reply.Status("OK")
	}
}

// DEBUG ASSERT, OOM, PANIC, SEGFAULT
func cmdDebugCrash(c *engine.Call) {
	if c.Engine.Parts.Host.Exit == nil {
		c.Fail(engine.ErrShutdown)
		return
	}
	c.Engine.Log('#', "The server ends as DEBUG %s asks for", strings.ToUpper(string(c.Args[1])))
	shutdown.Crash(c.Engine)
	c.Session.CloseAfterReply() // there is none: the connection ends with the server
}

// DEBUG RESTART, CRASH-AND-RECOVER [milliseconds]
func cmdDebugRestart(c *engine.Call) {
	if c.More() {
		c.Int()
	}
	c.Fail(errRestart)
}

// DEBUG CLUSTERLINK KILL to|from|all node-id
func cmdDebugClusterLink(c *engine.Call) { c.Fail(errDebugCluster) }

// DEBUG CONFIG-REWRITE-FORCE-ALL
func cmdDebugRewrite(c *engine.Call) {
	err := error(engine.ErrRewriteAll)
	if rewrite := c.Engine.Parts.Host.Rewrite; rewrite != nil {
		if err = rewrite(true); err == error(engine.ErrNoConfigFile) {
			err = engine.ErrRewriteAll
		}
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.Reply.Status("OK")
}

// DEBUG SET-DISABLE-DENY-SCRIPTS 0 | 1: scripts may call DEBUG, which is not for them, or may not.
func cmdDebugDenyScripts(c *engine.Call) {
	n, _ := strconv.Atoi(string(c.Arg()))
	c.Engine.Config.ScriptsMayDebug = n != 0
	c.Reply.Status("OK")
}

// DEBUG SET-SKIP-CHECKSUM-VALIDATION 0 | 1
func cmdDebugChecksums(c *engine.Call) {
	n, _ := strconv.Atoi(string(c.Arg()))
	c.Engine.Config.AnyChecksum = n != 0
	c.Reply.Status("OK")
}

// DEBUG STRUCTSIZE. The sizes are those of Redis 8.0 with 64 bits: the structures themselves are
// not here.
func cmdDebugStructSize(c *engine.Call) {
	c.Reply.BulkString("bits:64 robj:16 dictentry:24 sdshdr5:1 sdshdr8:3 sdshdr16:5 sdshdr32:9 sdshdr64:17 ")
}

// DEBUG LOG message
func cmdDebugLog(c *engine.Call) {
	c.Engine.Log('#', "DEBUG LOG: %s", c.Arg())
	c.Reply.Status("OK")
}

// DEBUG QUICKLIST-PACKED-THRESHOLD size
func cmdDebugPackedThreshold(c *engine.Call) {
	if size, ok := config.ParseMemory(string(c.Arg())); !ok || size > maxPackedThreshold {
		c.Fail(errPackedSize)
		return
	}
	c.Reply.Status("OK")
}

// maxPackedThreshold is the greatest size that DEBUG QUICKLIST-PACKED-THRESHOLD takes.
const maxPackedThreshold = 4<<30 - 1<<20

// DEBUG REPLYBUFFER PEAK-RESET-TIME NEVER | RESET | milliseconds, REPLYBUFFER RESIZING 0 | 1
func cmdDebugReplyBuffer(c *engine.Call) {
	switch {
	case c.Word("RESIZING"), c.Word("PEAK-RESET-TIME") && (c.Word("NEVER") || c.Word("RESET")):
	case c.Pos() == 3:
		c.Int()
	default:
		c.Refuse(c.SubSyntaxError())
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}

// DEBUG subcommand [argument ...]
func cmdDebug(c *engine.Call) {
	name := c.Arg()
	if command.IsWord(name, "HELP") && !c.More() {
		debugHelp(c)
		return
	}
	for _, line := range debugLines(c.Engine) {
		if command.IsWord(name, strings.ToUpper(line.Name)) && c.Left() >= line.Least && c.Left() <= line.Most {
			if line.HomeOnly && !c.World.IsHome() {
				c.Fail(engine.ErrNotHome)
				return
			}
			line.Run(c)
			return
		}
	}
	c.Fail(c.SubSyntaxError())
}

func debugHelp(c *engine.Call) {
	var lines []string
	for _, line := range debugLines(c.Engine) {
		if line.About != "" {
			lines = append(lines, strings.TrimSpace(strings.ToUpper(line.Name)+" "+line.Args),
				command.HelpIndent+line.About)
		}
	}
	c.Help(lines...)
}

// DEBUG DIGEST
func cmdDebugDigest(c *engine.Call) { c.Reply.Status(c.World.Keyspace.Digest().String()) }

// DEBUG DIGEST-VALUE key [key ...]
func cmdDebugDigestValue(c *engine.Call) {
	keys := c.Rest()
	c.Reply.Array(len(keys))
	for _, key := range keys {
		c.Reply.Status(c.DB.ValueDigest(key).String())
	}
}

// DEBUG SET-ACTIVE-EXPIRE 0 | 1
func cmdDebugSetActiveExpire(c *engine.Call) {
	n, _ := strconv.Atoi(string(c.Arg()))
	c.Engine.Config.ActiveExpire = n != 0
	c.Reply.Status("OK")
}

// DEBUG SLEEP seconds
func cmdDebugSleep(c *engine.Call) {
	seconds, _ := strconv.ParseFloat(string(c.Arg()), 64)
	if c.Engine.Parts.Host.Sleep != nil && seconds > 0 {
		c.Engine.Parts.Host.Sleep(int64(seconds * 1e6))
	}
	c.Reply.Status("OK")
}

// DEBUG PROTOCOL type
func cmdDebugProtocol(c *engine.Call) {
	w := c.Reply
	switch kind := strings.ToLower(string(c.Arg())); kind {
	case "string":
		w.BulkString("Hello World")
	case "integer":
		w.Int(12345)
	case "double":
		w.Double(3.141)
	case "null":
		w.Null()
	case "array", "set":
		replyAggregate(c, kind)
	case "map":
		w.Map(3)
		for i := range 3 {
			w.Int(int64(i))
			w.Bool(i == 1)
		}
	case "attrib":
		replyAttribute(c)
	case "push":
		if w.Proto() < 3 {
			c.Fail(errOnlyRESP3)
			return
		}
		w.Push(2)
		w.BulkString("server-cpu-usage")
		w.Int(42)
		w.BulkString("Some real reply following the push reply")
	case "verbatim":
		w.Verbatim("txt", []byte("This is a verbatim\nstring"))
	case "true", "false":
		w.Bool(kind == "true")
	case "bignum":
		w.BigNumber("1234567999999999999999999999999999999")
	default:
		c.Fail(errProtocolType)
	}
}

func replyAggregate(c *engine.Call, kind string) {
	if kind == "array" {
		c.Reply.Array(3)
	} else {
		c.Reply.Set(3)
	}
	for i := range 3 {
		c.Reply.Int(int64(i))
	}
}

// replyAttribute replies with a string that an attribute precedes, in RESP3.
func replyAttribute(c *engine.Call) {
	if c.Reply.Proto() == 3 {
		c.Reply.Raw([]byte("|1\r\n$14\r\nkey-popularity\r\n*2\r\n$7\r\nkey:123\r\n:90\r\n"))
	}
	c.Reply.BulkString("Some real reply following the attribute")
}
