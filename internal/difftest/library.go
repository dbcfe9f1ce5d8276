package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// Libraries of functions. They have few names, so that they collide, and some are broken.

var (
	libraryNames  = []string{"la", "la", "lb", "lb", "lc", "LA", "l_1"}
	functionNames = []string{"fa", "fb", "fc", "fd", "fe", "ff", "fg", "f_1"}
	// No argument of a command is nil: Redis since 7.4 crashes in the FUNCTION FLUSH after that.
	callbacks = []string{
		"return redis.call('SET', keys[1] or '', args[1] or 1)", "return redis.call('GET', keys[1] or '')",
		"return redis.pcall('INCR', keys[1] or '')",
		"return redis.call('DEL', unpack(keys))", "return {#keys, #args, keys[1], args[1]}",
		"return redis.call('HSET', keys[1] or '', 'f', args[1] or 'v')",
		"n = (n or 0) + 1 return n", "count = count + 1 return count", "return x", "return #args[1]",
		"redis.call('LPUSH', unpack(keys)) return nil + 1",
		"return redis.setresp(3) or redis.call('HMGET', keys[1] or '', 'f', 'f1')",
		"return redis.call('ZADD', keys[1] or 'z', 1, args[1] or 'm')", "return {err='MY ' .. args[1]}",
		"return redis.status_reply(args[1])", "return tonumber(args[1])", "return true", "return", "return keys",
		"return {1, {2, args}, false}",
	}
	flagWords = []string{"'no-writes'", "'allow-oom'", "'allow-stale'", "'no-cluster'", "'allow-cross-slot-keys'",
		"'no-such'", "1"}
	// inserted into a library to break it
	splinters = []string{"", "\n", "(", ")", "{", "}", "'", "=", ",", "end", "return", "\r\n", "--", "local", "\xfe",
		"redis.foo", "#", "name=x", "1"}
)

func oneOf(r *rand.Rand, words []string) string { return words[r.IntN(len(words))] }

// library returns the source of a library; about one in eight is broken.
func library(r *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#!lua name=%s\nlocal count = 0", oneOf(r, libraryNames))
	for _, i := range r.Perm(len(functionNames))[:1+r.IntN(2)] {
		b.WriteString("\n" + registration(r, functionNames[i]))
	}
	source := b.String()
	if r.IntN(8) > 0 {
		return source
	}
	at := r.IntN(len(source))
	if r.IntN(2) == 0 {
		at = r.IntN(len("#!lua name=la\n"))
	}
	rest := min(len(source), at+r.IntN(3))
	return source[:at] + oneOf(r, splinters) + source[rest:]
}

// logs is a statement of a library that logs while it is loaded.
const logs = "redis.log(redis.LOG_DEBUG, 'loading')"

// logging returns the source of a library, which in one of sixteen cases logs while it is loaded.
func logging(r *rand.Rand, source string) string {
	if r.IntN(16) > 0 {
		return source
	}
	return source + "\n" + logs
}

// registration returns a call of redis.register_function.
func registration(r *rand.Rand, name string) string {
	callback := "function(keys, args) " + oneOf(r, callbacks) + " end"
	if r.IntN(2) == 0 {
		return fmt.Sprintf("redis.register_function('%s', %s)", name, callback)
	}
	var flags []string
	for range r.IntN(3) {
		flags = append(flags, flagWords[min(r.IntN(len(flagWords)), r.IntN(len(flagWords)))])
	}
	return fmt.Sprintf("redis.register_function{function_name='%s', callback=%s, flags={%s}, description='about %s'}",
		name, callback, strings.Join(flags, ", "), name)
}

// payload returns a payload of libraries for FUNCTION RESTORE; one in ten is broken.
func payload(r *rand.Rand) string {
	var sources [][]byte
	for range r.IntN(3) {
		sources = append(sources, []byte(library(r)))
	}
	b := rdb.LibrariesPayload(sources)
	if r.IntN(10) == 0 {
		b[r.IntN(len(b))]++
	}
	return string(b)
}
