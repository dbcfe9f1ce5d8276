package scripting

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/reply"
)

// callTicks is the cost of a redis.call in units of work, without the bytes of its arguments and
// its reply.
const callTicks = 50

// redis.call(command, ...): the reply as a Lua value; an error reply is thrown.
func (in *interpreter) luaCall(L *lua.State, c *lua.Call) {
	v, failed := in.execute(L, c)
	if failed {
		in.throw(L, v)
	}
	c.Return1(v)
}

// redis.pcall(command, ...): as redis.call, with errors returned as tables.
func (in *interpreter) luaPCall(L *lua.State, c *lua.Call) {
	v, _ := in.execute(L, c)
	c.Return1(v)
}

// execute runs the command in c's arguments and returns its reply, or the table of its error.
func (in *interpreter) execute(L *lua.State, c *lua.Call) (v lua.Value, failed bool) {
	if err := in.args.gather(c); err != nil {
		return in.errorTable(in.worded(err)), true
	}
	cmd, err := in.resolve(c)
	if err == nil && in.current.strict.on {
		err = in.checkKeys(cmd)
	}
	if err == nil {
		err = in.engine.RunNested(in.session, cmd, in.args.list)
	}
	if err != nil {
		if in.engine.Slow.Killed() && in.trace == nil {
			L.Abort(in.killed())
		}
		return reply.Error(in.lua, in.worded(err)), true
	}
	out := in.session.Reply.Bytes()
	L.Tick(callTicks + (in.args.sent+len(out))/32)
	if len(out) > maxKept {
		return in.large(L, out), out[0] == '-'
	}
	v, _ = in.replies.Value(out)
	return v, out[0] == '-'
}

// large is value for a large reply. The reply counts as memory of the run meanwhile: the run does
// not refer to the new value yet, so a check of its memory would not find it.
func (in *interpreter) large(L *lua.State, out []byte) lua.Value {
	L.Hold(len(out))
	v, _ := in.replies.Value(out)
	L.Release(len(out))
	return v
}

// siteCache caches for a redis.call in a script the command that it called first. Most call no
// other.
type siteCache struct {
	name string
	cmd  *command.Command
}

// namesSubcommands is since when the error for an unknown subcommand in a script is that of the
// command itself.
var namesSubcommands = release.From("valkey:9.1.0")

// resolve finds the command in in.args.list, with the errors worded for scripts.
func (in *interpreter) resolve(c *lua.Call) (cmd *command.Command, err error) {
	site := c.Site()
	if site != nil {
		if known, ok := site.Cache.(*siteCache); ok && known.name == string(in.args.list[0]) &&
			known.cmd.Fits(len(in.args.list)) {
			return known.cmd, nil
		}
	}
	cmd, err = in.engine.Commands.Resolve(in.args.list)
	switch {
	case cmd == nil && in.engine.Release.Has(namesSubcommands) &&
		in.engine.Commands.Named(strings.ToLower(string(in.args.list[0]))) != nil:
		in.engine.CountRefused(in.session, nil, err)
		return nil, err
	case cmd == nil:
		in.engine.CountRefused(in.session, nil, errUnknown)
		return nil, errUnknown
	case err != nil:
		in.engine.CountRefused(in.session, cmd, errArgCount)
		return nil, errArgCount
	case site != nil && site.Cache == nil && !cmd.IsSub():
		site.Cache = &siteCache{string(in.args.list[0]), cmd}
	}
	return cmd, nil
}
