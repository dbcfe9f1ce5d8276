// Package server is INFO, TIME, MODULE and LOLWUT.
//
//	info.go       INFO, and in which release it has which line
//	keyspace.go   the sections of INFO about the data
//	module.go     MODULE: those that parts stand for, as none is loaded
//
// The other sections of INFO come from the parts that know the figures.
package server

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/build"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Part returns the part with the commands about the server itself.
func Part() engine.Part {
	return engine.Part{Families: []command.Family{Family, modules}, Sections: []engine.Section{
		{Name: "Modules", Fill: fillModules},
		{Name: "Keyspace", Fill: fillKeyspace},
		{Name: "Keysizes", Since: "8.0.0", Fill: fillKeysizes},
	}}
}

// Family is the commands about the server itself.
var Family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "info", Arity: -1, Flags: command.Loading | command.Stale | command.Harmless,
		Run: cmdInfo, Reply: "text", Since: "1.0.0", ACL: "dangerous",
		Syntax: "[section...]", Summary: "Returns information and statistics about the server.",
		Tips: "nondeterministic_output request_policy:all_shards response_policy:special", Complexity: "O(1)",
		History: "7.0.0 Takes several sections."},
	{Name: "time", Arity: 1, Flags: command.Loading | command.Stale | command.Fast | command.Harmless,
		Run: cmdTime, Reply: "time", Since: "2.6.0",
		Summary: "Returns the server time.", Tips: "nondeterministic_output", Complexity: "O(1)"},
	{Name: "lolwut", Arity: -1, Flags: command.ReadOnly | command.Fast, Run: cmdLolwut, Reply: "text", Since: "5.0.0",
		Syntax: "[VERSION version]", Summary: "Displays computer art and the server's version.", Complexity: "O(1)"},
}}

// frozenTime is since when TIME stands still in a script or a transaction, unless a script is past
// its time limit.
var frozenTime = release.From("7.2.0")

// TIME
func cmdTime(c *engine.Call) {
	now := c.World.DateMicros()
	if _, busy := c.Engine.Slow.Busy(); busy || c.Nested() && !c.Has(frozenTime) {
		now = c.World.DateAt(c.World.Clock())
	}
	c.Reply.Array(2)
	c.Reply.Bulk(strconv.AppendInt(c.Scratch(), now/1e6, 10))
	c.Reply.Bulk(strconv.AppendInt(c.Scratch(), now%1e6, 10))
}

// signsAsValkey is since when LOLWUT shows the name of Valkey.
var signsAsValkey = release.From("valkey:9.1.0")

// LOLWUT [VERSION version] [arguments]. A field of dice.
func cmdLolwut(c *engine.Call) {
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
	b.WriteString("\n" + name + " ver. " + c.Engine.Release.Version + ", as miniserver " + build.Version +
		" tells it\n")
	c.Reply.Verbatim("txt", []byte(b.String()))
}
