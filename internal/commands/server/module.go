package server

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

const errNoModules = command.Error("ERR MODULE command not allowed. " +
	"If the enable-module-command option is set to \"local\", you can run it from a local connection, " +
	"otherwise you need to set this option in the configuration file, and then restart the server.")

const loadModule = command.Admin | command.NoScript | command.NoAsyncLoading

// modules is MODULE.
var modules = command.Family{Group: "server", Commands: []command.Line{
	{Name: "module", Arity: -2, Since: "4.0.0", Complexity: "Depends on the subcommand",
		Summary: "A container for module commands.", Subs: []command.Line{
			{Name: "list", Arity: 2, Flags: command.Admin | command.NoScript, Run: cmdModuleList, Reply: "array",
				Since: "4.0.0", Summary: "Returns all loaded modules.", Tips: "nondeterministic_output_order",
				Complexity: "O(N), N being the number of modules"},
			{Name: "load", Arity: -3, Flags: loadModule, Run: cmdModuleLoad, Reply: "status", Since: "4.0.0",
				Syntax: "path [arg...]", Summary: "Loads a module.", Complexity: "O(1)"},
			{Name: "loadex", Arity: -3, Flags: loadModule, Run: cmdModuleLoad, Reply: "status", Since: "7.0.0",
				Syntax:  "path configs=[CONFIG name value]... [ARGS args...]",
				Summary: "Loads a module using extended parameters.",
				Help:    "<path> [[CONFIG NAME VALUE] [CONFIG NAME VALUE]] [ARGS ...]", Complexity: "O(1)"},
			{Name: "unload", Arity: 3, Flags: loadModule, Run: cmdModuleLoad, Reply: "status", Since: "4.0.0",
				Syntax: "name", Summary: "Unloads a module.", Complexity: "O(1)"},
			engine.HelpLine("5.0.0"),
		}},
}}

// MODULE LIST
func cmdModuleList(c *engine.Call) { ReplyModules(c) }

// ReplyModules writes the modules of the parts.
func ReplyModules(c *engine.Call) {
	w, modules := c.Reply, c.Engine.Modules()
	w.Array(len(modules))
	for _, m := range modules {
		w.Map(4)
		w.BulkString("name")
		w.BulkString(m.Name)
		w.BulkString("ver")
		w.Int(m.Version)
		w.BulkString("path")
		w.BulkString(m.Path)
		w.BulkString("args")
		w.Array(0)
	}
}

// fillModules writes what INFO says of the modules.
func fillModules(w *engine.World, b *bytes.Buffer) {
	for _, m := range w.Engine().Modules() {
		engine.Fields(b, "module", fmt.Sprintf("name=%s,ver=%d,api=1,filters=0,usedby=[],using=[],options=[%s]",
			m.Name, m.Version, m.Options))
	}
}

// MODULE LOAD path [arg ...], MODULE LOADEX, MODULE UNLOAD name
func cmdModuleLoad(c *engine.Call) { c.Fail(errNoModules) }
