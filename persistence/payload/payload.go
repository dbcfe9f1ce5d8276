// Package payload has the commands about the values of single keys as a snapshot holds them: DUMP
// and RESTORE, MIGRATE, which sends payloads to another server, and what DEBUG OBJECT says of a
// value.
//
// Format and Options say how an engine writes and reads values, also in snapshots. Who does that
// without a server has a Scratch.
package payload

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// Part returns the part with DUMP, RESTORE and DEBUG OBJECT.
func Part() engine.Part {
	return engine.Part{State: &payloads{encoder: rdb.Encoder{Compress: true, Alone: true}},
		Families: []command.Family{family, cluster}, Debug: debugLines()}
}

type payloads struct {
	encoder rdb.Encoder
	buf     []byte
}

var family = command.Family{Group: "generic", Commands: []command.Line{
	{Name: "dump", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: engine.On((*payloads).cmdDump), Reply: "text?", Since: "2.6.0",
		Syntax: "key", Summary: "Returns a serialized representation of the value stored at a key.",
		Tips: "nondeterministic_output", Complexity: "O(N), N being the size of the value"},
	{Name: "restore", Arity: -4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "OW update"),
		Run: cmdRestore, ACL: "dangerous", Reply: "status", Since: "2.6.0", Syntax: restoreSyntax,
		Summary:    "Creates a key from the serialized representation of a value.",
		Complexity: "O(N), N being the size of the value", History: restoreHistory},
}}

// cluster is the commands by which members of a cluster give each other keys.
var cluster = command.Family{Group: "server", Commands: []command.Line{
	{Name: "restore-asking", Arity: -4, Flags: command.Write | command.DenyOOM | command.Asking | command.Internal,
		Keys: command.Key(1, "OW update"), Run: cmdRestore, ACL: "keyspace dangerous", Reply: "status", Since: "3.0.0",
		Syntax: restoreSyntax, Summary: "An internal command for migrating keys in a cluster.",
		Complexity: "O(N), N being the size of the value", History: restoreHistory},
}}

func debugLines() []engine.DebugLine {
	return []engine.DebugLine{
		{Name: "object", Least: 1, Most: 1, Args: "<key>", About: "Show how a key's value is stored.",
			Run: engine.AsStored(cmdDebugObject), Until: "valkey:8.1.0"},
		{Name: "object", Least: 1, Most: 2, Args: "<key> [fast]", About: "Show how a key's value is stored.",
			Run: engine.AsStored(cmdDebugObject), Since: "valkey:8.1.0"},
	}
}

// Format returns the format of an engine's snapshots and payloads: what its release writes, or with
// encodings ziplist the oldest types that hold the values and that the release can read.
func Format(e *engine.Engine) rdb.Format { return rdb.FormatOf(e.Release, e.Config.Listpacks()) }

// Versions returns the versions of the format that the engine reads.
func Versions(e *engine.Engine) rdb.Versions {
	return rdb.VersionsOf(e.Release, e.RelaxesVersions())
}

// Scratch returns an engine for one key at a time, whose time stands still. It has data types, and
// what is kept beside keys, and no commands.
func Scratch(databases int, types engine.Types, kept ...engine.Auxiliary) *engine.Engine {
	e := engine.New(engine.Options{Databases: databases, Clock: func() int64 { return 0 }})
	e.Join(engine.Part{Types: types, Auxiliary: kept})
	return e
}

// Options returns the options of a reader of values for a world. It is called under the lock.
func Options(w *engine.World, size int64, noChecksum bool) rdb.Options {
	e := w.Engine()
	c := e.Config
	return rdb.Options{Keyspace: w.Keyspace, Size: size, Versions: Versions(e),
		NoChecksum: noChecksum || c.AnyChecksum, Sanitize: w.Sanitizes(nil), Sanitized: e.Sanitized(),
		RefuseUnknown: c.RefusesUnknownTypes(),
		Auxiliary:     func(t rdb.ModuleType) bool { return e.AuxiliaryOf(t.Name) != nil },
		Limits: rdb.Limits{Hash: w.HashLimits(), ZSet: c.ZSet, Set: w.SetLimits(), List: c.List,
			Array: c.Array, Dice: w.Dice}}
}
