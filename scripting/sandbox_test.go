package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/transcript"
)

// mixture uses its arguments in every way that might leave something behind for the next run: as
// names of globals and fields, as patterns, formats, code, keys of JSON and of MessagePack.
const mixture = `
local name, text, long = ARGV[1], ARGV[2], ARGV[3]
local record = cjson.decode('{"' .. name .. '":1,"' .. long .. '":2,"x":3}')
local packed = cmsgpack.unpack(cmsgpack.pack({[name] = 1, [long] = 2}))
local t = setmetatable({}, {__index = function(_, k) return k .. '?' end})
t[name] = text
return {
	rawget(_G, name) ~= nil and 'global' or 'none',
	redis[name] ~= nil and 'field' or 'none',
	text:gsub(name, '<%0>'),
	(long:match('(' .. name .. ')')) or 'no match',
	string.format('%-10s|' .. text, name),
	loadstring('return "' .. name .. '" .. ...')(text),
	record[name] + record[long] + record.x,
	packed[name] + packed[long],
	t[name], t[long],
	struct.unpack('s', struct.pack('s', text)),
	redis.call('SET', KEYS[1], text).ok,
	redis.call('GET', KEYS[1]),
	redis.sha1hex(text),
	cjson.encode({[name] = text}),
	tostring(#KEYS) .. tostring(#ARGV),
	KEYS[2] or 'no key', ARGV[4] or 'no argument', rawget(KEYS, name) or 'no field',
	select(2, pcall(error, name)),
	select(2, pcall(redis.call, name)),
}`

// The replies of a run do not depend on earlier runs: they are those of an engine of its own. The
// engine's arguments are overwritten after each command, which reveals texts that are kept by
// reference.
func TestRunsDoNotSeeEachOther(t *testing.T) {
	fresh := func() transcript.Conn {
		conn, err := transcript.NewMemory(transcript.Traits{Name: "ours"}, wire).Dial("")
		require.NoError(t, err)
		return conn
	}
	ask := func(conn transcript.Conn, args ...string) string {
		require.NoError(t, conn.Send(args))
		v, came, err := conn.Next(true)
		require.NoError(t, err)
		require.True(t, came)
		return v.String()
	}
	shared := fresh()
	names := []string{"redis", "table", "aaaaa", "pairs", "call", "x", "sha1hex", "KEYS", "rep", "b"}
	for i := range 300 {
		name := names[i%len(names)]
		text := strings.Repeat(string(rune('a'+i%26)), 5) + name
		long := name + fmt.Sprintf("%060d", i*i)
		args := []string{"EVAL", mixture, "1", "key", name, text, long}
		if i%7 == 0 {
			ask(shared, "EVAL", "KEYS.x, ARGV[9], KEYS[2] = 1, 2, 3 setmetatable(ARGV, "+
				"{__index = string}) coroutine.wrap(function() coroutine.yield() end)() error(ARGV[1])", "1", "k", text)
		}
		require.Equal(t, ask(fresh(), args...), ask(shared, args...))
	}
}

// TestDeprecatedAPI compares the globals of scripts and functions with those of redis-server with
// lua-enable-deprecated-api.
func TestDeprecatedAPI(t *testing.T) {
	const script = "return {type(newproxy(true)), getfenv(1) == _G, pcall(setfenv, 1, {}), math.random(1000)}"
	r := newRivals(t, 2, "--lua-enable-deprecated-api", "yes")
	r.same("EVAL", script, "0")
	r.same("FUNCTION", "LOAD", "#!lua name=lib\n"+
		"redis.register_function('f', function() return {type(newproxy(true)), pcall(setfenv, 1, {})} end)")
	r.same("FCALL", "f", "0")
}
