package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// debugLines are the subcommands of DEBUG. To COMMAND they are not there, as in Redis.
func (e *Engine) debugLines() []DebugLine {
	lines := []DebugLine{
		{"aof-flush-sleep", 1, 1, "<microseconds>", aboutIgnored, cmdDebugIgnored},
		{"dict-resizing", 1, 1, "<0|1>", aboutIgnored, cmdDebugIgnored},
		{"digest", 0, 0, "", "Return a hash of all data, equal to redis-server's of the same data.", cmdDebugDigest},
		{"digest-value", 0, math.MaxInt, "<key> [<key> ...]", "Return the hash of each key's value.", cmdDebugDigestValue},
		{"error", 1, 1, "<string>", "Reply with an error.", func(c *Call) { c.Reply.Error(Error(c.Arg())) }},
		{"log", 1, 1, "<message>", "Write a message to the server's log.", cmdDebugLog},
		{"pause-cron", 1, 1, "<0|1>", aboutIgnored, cmdDebugIgnored},
		{"protocol", 1, 1, "<type>", "Reply with a value of a type of the protocol.", cmdDebugProtocol},
		{"quicklist-packed-threshold", 1, 1, "<size>", aboutIgnored, cmdDebugPackedThreshold},
		{"replybuffer", 2, 2, "<option> <value>", aboutIgnored, cmdDebugReplyBuffer},
		{"set-active-expire", 1, 1, "<0|1>", "Turn the removal of expired keys that nobody looks at off or on.", cmdDebugSetActiveExpire},
		{"set-disable-deny-scripts", 1, 1, "<0|1>", "Let scripts call DEBUG, which is not for them, or refuse it again.",
			func(c *Call) {
				n, _ := strconv.Atoi(string(c.Arg()))
				c.Engine.Config.scriptsMayDebug = n != 0
				c.Reply.Status("OK")
			}},
		{"sleep", 1, 1, "<seconds>", "Stop the server for a while.", cmdDebugSleep},
	}
	for _, p := range e.Parts.List {
		lines = append(lines, p.Debug...)
	}
	slices.SortFunc(lines, func(a, b DebugLine) int { return strings.Compare(a.Name, b.Name) })
	return lines
}

const aboutIgnored = "Accepted for the sake of test suites; changes nothing here."

// DEBUG AOF-FLUSH-SLEEP, DICT-RESIZING, PAUSE-CRON
func cmdDebugIgnored(c *Call) { c.Reply.Status("OK") }

// DEBUG LOG message
func cmdDebugLog(c *Call) {
	c.Engine.log('#', "DEBUG LOG: %s", c.Arg())
	c.Reply.Status("OK")
}

// DEBUG QUICKLIST-PACKED-THRESHOLD size
func cmdDebugPackedThreshold(c *Call) {
	if size, ok := ParseMemory(string(c.Arg())); !ok || size > maxPackedThreshold {
		c.Fail(ErrPackedSize)
		return
	}
	c.Reply.Status("OK")
}

// maxPackedThreshold is the greatest size that DEBUG QUICKLIST-PACKED-THRESHOLD takes.
const maxPackedThreshold = 4<<30 - 1<<20

// DEBUG REPLYBUFFER PEAK-RESET-TIME NEVER | RESET | milliseconds, REPLYBUFFER RESIZING 0 | 1
func cmdDebugReplyBuffer(c *Call) {
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
func cmdDebug(c *Call) {
	name := c.Arg()
	if IsWord(name, "HELP") && !c.More() {
		c.debugHelp()
		return
	}
	for _, line := range c.Engine.debugLines() {
		if IsWord(name, strings.ToUpper(line.Name)) && c.Left() >= line.Least && c.Left() <= line.Most {
			line.Run(c)
			return
		}
	}
	c.Fail(c.SubSyntaxError())
}

func (c *Call) debugHelp() {
	var lines []string
	for _, line := range c.Engine.debugLines() {
		lines = append(lines, strings.TrimSpace(strings.ToUpper(line.Name)+" "+line.Args), "    "+line.About)
	}
	c.Help(lines...)
}

// DEBUG DIGEST
func cmdDebugDigest(c *Call) { c.Reply.Status(c.Engine.Keyspace.Digest().String()) }

// DEBUG DIGEST-VALUE key [key ...]
func cmdDebugDigestValue(c *Call) {
	keys := c.Rest()
	c.Reply.Array(len(keys))
	for _, key := range keys {
		c.Reply.Status(c.DB.ValueDigest(key).String())
	}
}

// DEBUG SET-ACTIVE-EXPIRE 0 | 1
func cmdDebugSetActiveExpire(c *Call) {
	n, _ := strconv.Atoi(string(c.Arg()))
	c.Engine.Config.ActiveExpire = n != 0
	c.Reply.Status("OK")
}

// DEBUG SLEEP seconds
func cmdDebugSleep(c *Call) {
	seconds, _ := strconv.ParseFloat(string(c.Arg()), 64)
	if c.Engine.Parts.host.Sleep != nil && seconds > 0 {
		c.Engine.Parts.host.Sleep(int64(seconds * 1e6))
	}
	c.Reply.Status("OK")
}

// DEBUG PROTOCOL type
func cmdDebugProtocol(c *Call) {
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
		c.replyAggregate(kind)
	case "map":
		w.Map(3)
		for i := range 3 {
			w.Int(int64(i))
			w.Bool(i == 1)
		}
	case "attrib":
		c.replyAttribute()
	case "push":
		if w.Proto() < 3 {
			c.Fail(ErrOnlyRESP3)
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
		c.Fail(ErrProtocolType)
	}
}

func (c *Call) replyAggregate(kind string) {
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
func (c *Call) replyAttribute() {
	if c.Reply.Proto() == 3 {
		c.Reply.Raw([]byte("|1\r\n$14\r\nkey-popularity\r\n*2\r\n$7\r\nkey:123\r\n:90\r\n"))
	}
	c.Reply.BulkString("Some real reply following the attribute")
}
