//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// busy is the time after which a script counts as slow, and scriptTime that in which a script may
// end by itself. Some get more time, to use up the memory that a script may have.
const (
	busy           = 50 * time.Millisecond
	scriptTime     = 500 * time.Millisecond
	longScriptTime = 10 * time.Second
)

// scriptMemory is what a script may take, scriptString the longest string in the data, and
// scriptProcess the process with them. Go's collector needs room, and a reply is made of the
// script's values before they are free.
const (
	scriptMemory  = "64mb"
	scriptString  = "128mb"
	scriptProcess = 768 << 20
)

// openScripts runs hostile scripts. Whatever a script does, the server must answer others, at least
// with BUSY; SCRIPT KILL must end the script, or SHUTDOWN NOSAVE the server if it wrote; and the
// next script must find the sandbox as it was. No script may take more memory than it may have.
func openScripts(h *hunt) (step, error) {
	server, err := h.serve("--busy-reply-threshold", fmt.Sprint(busy.Milliseconds()), "--script-memory-limit",
		scriptMemory, "--proto-max-bulk-len", scriptString)
	if err != nil {
		return nil, err
	}
	server.memory = scriptProcess
	return func(r *rand.Rand) error {
		text := hostile(h.at, r)
		if r.IntN(4) == 0 {
			text = "local f = function() " + text + " end return coroutine.wrap(f)()"
		}
		wait := scriptTime
		if !h.brief && r.IntN(8) == 0 {
			wait = longScriptTime
		}
		h.count("scripts", 1)
		return h.runScript(server, text, r.IntN(3), wait)
	}, nil
}

// hostile returns a script: each of those written by hand in turn, and generated ones in between.
func hostile(n uint64, r *rand.Rand) string {
	if n%2 == 0 {
		return scripts[n/2%uint64(len(scripts))]
	}
	return generated(r)
}

// runScript runs a script in one of several ways: EVAL, EVAL_RO, or a function of a library. It
// ends the script after some time.
func (h *hunt) runScript(server *target, text string, way int, wait time.Duration) error {
	call := []string{"EVAL", text, "1", "k", "argument"}
	load := []string{"PING"}
	switch way {
	case 1:
		call[0] = "EVAL_RO"
	case 2:
		load = []string{"FUNCTION", "LOAD", "REPLACE",
			"#!lua name=hostile\nredis.register_function('f', function(KEYS, ARGV) " + text + " end)"}
		call = []string{"FCALL", "f", "1", "k", "argument"}
	}
	h.doing("redis-cli %s\nredis-cli %s", quoted(load), quoted(call))
	c, err := server.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	if v, err := c.do(load...); err != nil || v.IsError() {
		return err
	}
	if err := c.send(call...); err != nil {
		return err
	}
	reply, err := c.await(wait)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return h.end(server, c)
	}
	if err == nil && reply.IsError() {
		h.count("errors", 1)
	}
	return errors.Join(err, h.canary(server))
}

// await returns the next reply, and an error if it does not come in time. Then the connection
// cannot be read any more.
func (c *conn) await(d time.Duration) (resp.Value, error) {
	c.SetReadDeadline(time.Now().Add(d))
	return c.replies.Read()
}

// end ends a script that runs too long, as an operator would.
func (h *hunt) end(server *target, c *conn) error {
	admin, err := server.dial()
	if err != nil {
		return err
	}
	defer admin.Close()
	for range 100 {
		v, err := admin.do("SCRIPT", "KILL")
		if err != nil {
			return err
		}
		if strings.HasPrefix(v.Text, "UNKILLABLE") {
			return h.shutdown(server, admin)
		}
		if _, err := admin.do("FUNCTION", "KILL"); err != nil {
			return err
		}
		v, err = admin.do("ECHO", "x")
		if err == nil && !v.IsError() {
			h.count("killed", 1)
			return h.canary(server)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("SCRIPT KILL does not end the script")
}

// shutdown ends a server with a script that wrote, and starts it again.
func (h *hunt) shutdown(server *target, admin *conn) error {
	h.count("shut down", 1)
	admin.do("SHUTDOWN", "NOSAVE")
	select {
	case <-server.process.Exited():
		return server.restart()
	case <-time.After(h.patience):
		return errors.New("SHUTDOWN NOSAVE does not end a server with a script that wrote")
	}
}

// canary runs a script that shows whether the sandbox is as it was.
func (h *hunt) canary(server *target) error {
	c, err := server.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	v, err := c.do("EVAL", `local n, hidden = 0, {}
		for k in pairs(_G) do n = n + 1 end
		return {string.rep('a', 3), ('x'):upper(), cjson.encode({1}), tostring(pcall(loadstring, 'return 1')), redis.call('ECHO', ARGV[1]),
			type(rawget(_G, 'evil')), type(string.evil), type(redis.evil), tostring(getmetatable('').evil), #KEYS, math.max(1, 2), table.concat({1, 2}, '-')}`, "0", "y")
	if err != nil {
		return err
	}
	const want = "aaa X [1] true y nil nil nil nil 0 2 1-2"
	if got := strings.ReplaceAll(v.Raw(), "\n", " "); got != want {
		return fmt.Errorf("the sandbox is not as it was: the canary returns %q, want %q", got, want)
	}
	return nil
}

// quoted returns the words of a command for a shell.
func quoted(args []string) string {
	var words []string
	for _, arg := range args {
		words = append(words, "'"+strings.ReplaceAll(arg, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}

// functions are what the sandbox offers.
var functions = strings.Fields(`string.rep string.format string.gsub string.find string.match string.gmatch string.sub string.byte string.char
	string.len string.lower string.reverse string.dump table.concat table.insert table.remove table.sort table.maxn table.getn table.foreach
	table.foreachi table.setn math.floor math.random math.randomseed math.fmod math.ldexp math.pow math.max math.modf math.frexp
	cjson.encode cjson.decode cjson.new cjson.encode_max_depth cjson.decode_max_depth cjson.encode_sparse_array cjson.encode_number_precision
	cjson.encode_keep_buffer cjson.encode_invalid_numbers cjson.decode_invalid_numbers cmsgpack.pack cmsgpack.unpack cmsgpack.unpack_one
	cmsgpack.unpack_limit struct.pack struct.unpack struct.size bit.tobit bit.tohex bit.band bit.lshift bit.rol bit.bswap
	redis.call redis.pcall redis.sha1hex redis.log redis.error_reply redis.status_reply redis.setresp redis.set_repl redis.breakpoint
	redis.acl_check_cmd redis.register_function redis.replicate_commands redis.debug
	unpack select tostring tonumber type pairs ipairs next rawget rawset rawequal setmetatable getmetatable setfenv getfenv loadstring load
	dofile loadfile require module newproxy collectgarbage gcinfo pcall xpcall error assert print coroutine.create coroutine.resume
	coroutine.wrap coroutine.yield coroutine.status coroutine.running os.clock os.time os.execute io.open debug.getinfo`)

// values are what the functions get.
var values = []string{"nil", "true", "0", "-1", "1", "2", "7", "2^31", "2^31-1", "-2^31", "2^53", "2^63", "-2^63",
	"1e308", "-1e308", "0/0", "1/0", "-1/0", "0.5", "1e9", "1e6",
	"''", "'x'", "'%'", "'%s%s%s'", "'%99999999d'", "'%.99f'", "'%q'", "'%c'", "'%5$s'", "'('", "'[a-'", "'[^'", "'%b'",
	"'%f'", "'.-.-.-.-x'", "'(((((((((('", "'\\0'", "'>I8'", "'<d'", "'I17'", "'!99'",
	"'s0'", "'c0'", "'c999999999'", "'{\"a\":1}'", "'[[[[[['", "'\\221\\255'", "'\\223\\255\\255'",
	"'\\221\\255\\255\\255\\255'", "'\\219\\255\\255\\255\\255'", "'\\201'", "big", "long", "cyclic", "deep", "liar",
	"odd", "sparse", "{}", "{1,2,3}", "{err='x'}", "{ok='x'}", "{double=0/0}",
	"{map={a=1}}", "{set={a=1}}", "{big_number='x'}", "{verbatim_string={format='x',string='y'}}", "f", "f2", "co",
	"proxy", "_G", "string", "'GET'", "'SET'", "'k'", "'EVAL'", "'return 1'", "'SUBSCRIBE'", "'SHUTDOWN'", "'MULTI'",
	"'BLPOP'", "'CONFIG'"}

// prelude defines the hostile values.
const prelude = `local big = string.rep('x', 1e6) local long = string.rep('a?', 100) local cyclic = {} cyclic[1] = cyclic cyclic.x = cyclic ` + `local deep = {} for i = 1, 20000 do deep = {deep} end local sparse = {[1] = 1, [1e6] = 2, [2^53] = 3} ` + `local liar = setmetatable({}, {__index = function(t, k) return t end, __newindex = function() error('no') end, __call = function(...) return ... end, __tostring = function() return {} end, __len = function() return 1e9 end}) ` + `local odd = setmetatable({1, 2, 3}, {__index = function() error({}) end, __lt = function() return true end, __le = function() error('le') end, __eq = function() return true end, __concat = function() return 'c' end, __unm = function(a) return a end}) ` + `local f = function(...) return ... end local f2 = function() error(cyclic) end local co = coroutine.create(function() while true do coroutine.yield(1) end end) local proxy = co `

// generated returns a script that calls functions with hostile arguments.
func generated(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(prelude + "local out = {} ")
	for range 1 + r.IntN(8) {
		b.WriteString("out[#out+1] = tostring(select(2, pcall(" + pick(r, functions))
		for range r.IntN(5) {
			b.WriteString(", " + pick(r, values))
		}
		b.WriteString("))) ")
	}
	b.WriteString("return #table.concat(out)")
	return b.String()
}
