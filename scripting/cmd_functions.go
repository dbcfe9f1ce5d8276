package scripting

import (
	"iter"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/glob"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/scripting/library"
	"github.com/miniserver-go/miniserver/scripting/redislib"
	"github.com/miniserver-go/miniserver/scripting/reply"
)

// FCALL function numkeys [key [key ...]] [arg [arg ...]]
func (s *Scripts) cmdFCall(c *engine.Call) {
	c.Show()
	f := s.of(c.World).registry.Find(c.Arg())
	if f == nil {
		c.Fail(errNoFunction)
		return
	}
	keys, argv := split(c, errBadKeys)
	if c.Session.Debug != engine.NoDebug {
		s.startDebugging(c, subject{f.Library.Source, f.Name}, input{keys, argv, isReadOnly(c)})
		return
	}
	if c.OK() {
		s.run(c, &f.Program, keys, argv)
	}
}

// FUNCTION LOAD [REPLACE] code
func (s *Scripts) cmdFunctionLoad(c *engine.Call) {
	replace := false
	for c.Left() > 1 {
		if !c.Word("REPLACE") {
			c.Refusef(errLoadOption, reply.CText(string(c.Arg())))
			break
		}
		replace = true
	}
	source := c.Arg()
	if !c.OK() {
		return
	}
	s.turnTo(c.World)
	taken := &s.own.registry
	if replace {
		taken = new(library.Registry)
	}
	l, err := s.interpreter.loadLibrary(source, taken)
	if err == nil {
		err = s.own.registry.Join([]*library.Library{l}, true)
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.ChangedAll(1)
	c.Reply.BulkString(l.Name)
}

// FUNCTION DELETE library
func (own *ownScripts) cmdFunctionDelete(c *engine.Call) {
	name := string(c.Arg())
	if !own.registry.Remove(name) {
		c.Fail(errNoLibrary)
		return
	}
	c.ChangedAll(1)
	c.Reply.Status("OK")
}

// flushesLua is when FUNCTION FLUSH began to start Lua afresh, as SCRIPT FLUSH does.
var flushesLua = release.From("7.4.0 valkey:9.0.0")

// FUNCTION FLUSH [ASYNC | SYNC]
func (own *ownScripts) cmdFunctionFlush(c *engine.Call) {
	if c.Left() > 1 {
		c.Refusef(engine.ErrSubArgs, typedSub(c), "FUNCTION")
	}
	async := c.Word("ASYNC") || !c.Word("SYNC") && c.Engine.Config.LazyFree.UserFlush
	if c.More() {
		c.Refuse(errFunctionFlush)
	}
	if !c.OK() {
		return
	}
	functions := &own.registry
	if n := functions.Count(); async && n > keyspace.LazyThreshold {
		c.World.Keyspace.LazilyFreed += int64(n + 1) // and the table of the engine Lua
	}
	*functions = library.Registry{}
	if c.Has(flushesLua) {
		own.json.functions = redislib.NewJSONSettings()
	}
	c.ChangedAll(1)
	c.Reply.Status("OK")
}

// typedSub returns the subcommand as it was typed.
func typedSub(c *engine.Call) string {
	name := string(c.Args[1])
	return name[:min(len(name), 128)]
}

// FUNCTION LIST [LIBRARYNAME pattern] [WITHCODE]
func (own *ownScripts) cmdFunctionList(c *engine.Call) {
	pattern, limited, code := "", false, false
	for c.More() {
		switch {
		case !code && c.Word("WITHCODE"):
			code = true
		case !limited && c.Word("LIBRARYNAME"):
			if limited = true; !c.More() {
				c.Refuse(errListName)
			} else {
				pattern = string(c.Arg())
			}
		default:
			c.Refusef(errListOption, reply.CText(string(c.Arg())))
		}
	}
	if !c.OK() {
		return
	}
	at, n := c.Reply.Defer(), 0
	for _, l := range own.registry.InOrder() {
		if !limited || glob.MatchFold(pattern, l.Name) {
			n++
			l.Reply(c.Reply, code)
		}
	}
	c.Reply.SetArray(at, n)
}

// FUNCTION STATS
func (s *Scripts) cmdFunctionStats(c *engine.Call) {
	if busy, slow := s.engine.Slow.Busy(); slow && busy != s.interpreter.functions.Busy {
		c.Fail(busy)
		return
	}
	w, functions := c.Reply, &s.of(c.World).registry
	w.Map(2)
	w.BulkString("running_script")
	s.replyRunning(c)
	w.BulkString("engines")
	w.Map(1)
	w.BulkString("LUA")
	w.Map(2)
	w.BulkString("libraries_count")
	w.Int(int64(functions.Len()))
	w.BulkString("functions_count")
	w.Int(int64(functions.Count()))
}

// replyRunning writes the program that runs, its command, and its duration.
func (s *Scripts) replyRunning(c *engine.Call) {
	w, run := c.Reply, &s.interpreter.current
	if run.program == nil {
		w.Null()
		return
	}
	w.Map(3)
	w.BulkString("name")
	w.BulkString(run.program.Name)
	w.BulkString("command")
	w.Array(len(run.call.Args))
	for _, arg := range run.call.Args {
		w.Bulk(arg)
	}
	w.BulkString("duration_ms")
	w.Int((s.engine.Machine() - run.started) / 1000)
}

// FUNCTION DUMP
func (own *ownScripts) cmdFunctionDump(c *engine.Call) {
	c.Reply.Bulk(rdb.LibrariesPayload(own.registry.Sources()))
}

// policies are the restore policies by name.
var policies = map[string]engine.RestorePolicy{"APPEND": engine.Append, "REPLACE": engine.Replace,
	"FLUSH": engine.Flush}

// FUNCTION RESTORE payload [FLUSH | APPEND | REPLACE]
func (s *Scripts) cmdFunctionRestore(c *engine.Call) {
	payload, how, known := c.Arg(), engine.Append, true
	if c.More() {
		how, known = policies[strings.ToUpper(string(c.Arg()))]
	}
	switch {
	case c.More():
		c.Refusef(engine.ErrSubArgs, typedSub(c), "FUNCTION")
	case !known:
		c.Refuse(errPolicy)
	case !rdb.ValidPayload(payload, rdb.VersionsOf(c.Engine.Release, c.Engine.RelaxesVersions())):
		c.Refuse(errPayload)
	}
	if !c.OK() {
		return
	}
	if err := s.restore(c.World, librariesOf(payload), how); err != nil {
		c.Fail(err)
		return
	}
	c.ChangedAll(1)
	c.Reply.Status("OK")
}

// payloadErrors maps errors of package rdb to those that clients see.
var payloadErrors = map[error]error{
	rdb.ErrNotLibrary: errNotFunction, rdb.ErrLibrary: errBadLibrary, rdb.ErrOldLibrary: errOldLibrary}

// librariesOf returns the libraries of a payload.
func librariesOf(payload []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for source, err := range rdb.Libraries(payload) {
			if !yield(source, payloadErrors[err]) {
				return
			}
		}
	}
}
