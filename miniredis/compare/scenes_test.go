package compare

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	original "github.com/alicebob/miniredis/v2"
	originalserver "github.com/alicebob/miniredis/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/miniredis"
	"github.com/miniserver-go/miniserver/miniredis/server"
)

// library is one of the two packages.
type library struct {
	name     string
	run      func() (any, error)
	register func(m any, name, reply string) error
	hook     func(m any, command, reply string) // "" for none
	maxLine  *int
}

var libraries = []library{
	{"the original", func() (any, error) { return original.Run() },
		func(m any, name, reply string) error {
			return m.(*original.Miniredis).Server().Register(name,
				func(c *originalserver.Peer, cmd string, args []string) {
					c.WriteStrings(append([]string{reply, cmd}, args...))
				})
		},
		func(m any, command, reply string) {
			hook := func(c *originalserver.Peer, cmd string, _ ...string) bool {
				if cmd == command {
					c.WriteInline(reply)
				}
				return cmd == command
			}
			if command == "" {
				hook = nil
			}
			m.(*original.Miniredis).Server().SetPreHook(hook)
		}, &original.DumpMaxLineLen},
	{"this package", func() (any, error) { return miniredis.Run() },
		func(m any, name, reply string) error {
			return m.(*miniredis.Miniredis).Server().Register(name,
				func(c *server.Peer, cmd string, args []string) {
					c.WriteStrings(append([]string{reply, cmd}, args...))
				})
		},
		func(m any, command, reply string) {
			hook := func(c *server.Peer, cmd string, _ ...string) bool {
				if cmd == command {
					c.WriteInline(reply)
				}
				return cmd == command
			}
			if command == "" {
				hook = nil
			}
			m.(*miniredis.Miniredis).Server().SetPreHook(hook)
		}, &miniredis.DumpMaxLineLen},
}

// scene is a server that a test plays with, and what it saw.
type scene struct {
	t   *testing.T
	lib library
	m   any
	log []string
	c   *conn
}

// inBoth plays a scene with both libraries, which must show the same.
func inBoth(t *testing.T, play func(s *scene)) {
	t.Helper()
	var logs [2][]string
	for i, lib := range libraries {
		m, err := lib.run()
		require.NoError(t, err)
		s := &scene{t: t, lib: lib, m: m}
		play(s)
		call(m, "Close")
		logs[i] = s.log
	}
	require.NotEmpty(t, logs[0])
	for i := range min(len(logs[0]), len(logs[1])) {
		require.Equal(t, logs[0][i], logs[1][i], "after %q", logs[0][max(0, i-3):i])
	}
	require.Len(t, logs[1], len(logs[0]))
}

// say notes what is to be the same.
func (s *scene) say(format string, args ...any) { s.log = append(s.log, fmt.Sprintf(format, args...)) }

// call calls a method and notes what it returns.
func (s *scene) call(method string, args ...any) []any { return s.callOf(s.m, method, args...) }

func (s *scene) callOf(receiver any, method string, args ...any) []any {
	results := call(receiver, method, args...)
	s.say("%s%v = %v", method, args, results)
	return results
}

// call calls a method.
func call(receiver any, method string, args ...any) (results []any) {
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		in[i] = reflect.ValueOf(arg)
	}
	for _, out := range reflect.ValueOf(receiver).MethodByName(method).Call(in) {
		results = append(results, out.Interface())
	}
	return results
}

// conn is a client.
type conn struct {
	net.Conn
	replies *bufio.Reader
}

// dial connects a client, by which do sends commands from then on.
func (s *scene) dial() {
	raw, err := net.Dial("tcp", call(s.m, "Addr")[0].(string))
	require.NoError(s.t, err)
	s.use(raw)
}

func (s *scene) use(raw net.Conn) {
	s.t.Cleanup(func() { _ = raw.Close() })
	s.c = &conn{raw, bufio.NewReader(raw)}
}

// do sends a command, with blanks between the words, and notes the reply.
func (s *scene) do(line string) { s.say("%s: %s", line, s.c.ask(strings.Fields(line)...)) }

// ask sends a command and returns the reply as text.
func (c *conn) ask(words ...string) string {
	if err := c.send(words...); err != nil {
		return "the connection has ended"
	}
	return c.next()
}

// send sends a command. Its reply has a minute.
func (c *conn) send(words ...string) error {
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	_, err := c.Write([]byte(b.String()))
	return err
}

func (c *conn) next() string {
	v, err := server.ParseReply(c.replies)
	switch {
	case err != nil && (strings.Contains(err.Error(), "EOF") || strings.Contains(err.Error(), "reset")):
		return "the connection has ended"
	case err != nil:
		return "error " + err.Error()
	}
	return fmt.Sprintf("%#v", v)
}

// Each method with each type of value.
func TestMethodsByType(t *testing.T) {
	steps := [][]any{
		{"Get"}, {"HKeys"}, {"HGet", "f"}, {"List"}, {"Members"}, {"IsMember", "a"}, {"SIsMember", "z"}, {"SMembers"},
		{"SCard"}, {"ZMembers"}, {"SortedSet"}, {"ZScore", "a"}, {"ZScore", "z"}, {"ZMScore", "a", "z"},
		{"Stream"}, {"HTTL", "f"}, {"HExpire", "f", time.Minute}, {"HTTL", "f"}, {"HPersist", "f"}, {"TTL"}, {"Type"},
		{"Exists"}, {"Set", "1"}, {"HSet", "z", "1"}, {"HSet", "z", "1", "odd"}, {"HSetEX", time.Minute, "z", "1"},
		{"HDel", "f"}, {"HIncr", "n", 1}, {"HIncrBy", "n", 2}, {"HIncrByFloat", "n", 1.5}, {"HIncrfloat", "new", 1.5},
		{"Incr", 2}, {"Incrfloat", 2.5}, {"IncrByFloat", -1e10}, {"Push", "x", "y"}, {"RPush", "x"}, {"Lpush", "x"},
		{"Pop"}, {"RPop"}, {"Lpop"}, {"SetAdd", "x", "a"}, {"SAdd", "x"}, {"SRem", "a", "y"}, {"SRem", "y"},
		{"ZAdd", 2.5, "a"}, {"ZAdd", 1.0, "b"}, {"ZRem", "a"}, {"ZRem", "zz"}, {"XAdd", "5-1", []string{"a", "b"}},
		{"XAdd", "5", []string{"a", "b"}}, {"XAdd", "7-*", []string{"a", "b"}}, {"Del"}, {"Unlink"},
		{"SetTTL", time.Minute, "TTL"},
	}
	inBoth(t, func(s *scene) {
		for _, key := range []string{"none", "str", "int", "list", "hash", "set", "zset", "stream"} {
			for _, step := range steps {
				s.fill()
				args := append([]any{key}, step[1:]...)
				if step[0] == "SetTTL" && key != "none" {
					s.call("SetTTL", key, time.Minute)
					s.call("TTL", key)
					s.call("FastForward", time.Minute)
				} else if step[0] != "SetTTL" {
					s.call(step[0].(string), args...)
				}
				s.call("Type", key)
				s.call("Dump")
			}
		}
	})
}

// fill makes a key of each type.
func (s *scene) fill() {
	call(s.m, "FlushAll")
	call(s.m, "Set", "str", "abc")
	call(s.m, "Set", "int", "5")
	call(s.m, "Push", "list", "a", "b")
	call(s.m, "HSet", "hash", "f", "v", "n", "5")
	call(s.m, "SetAdd", "set", "a", "b")
	call(s.m, "ZAdd", "zset", 1.0, "a")
	call(s.m, "ZAdd", "zset", 3.25, "c")
	call(s.m, "XAdd", "stream", "1-1", []string{"a", "b"})
}

// The errors that tests compare with.
func TestErrors(t *testing.T) {
	for _, pair := range [][2]error{
		{original.ErrKeyNotFound, miniredis.ErrKeyNotFound},
		{original.ErrWrongType, miniredis.ErrWrongType},
		{original.ErrNotValidHllValue, miniredis.ErrNotValidHllValue},
		{original.ErrIntValueError, miniredis.ErrIntValueError},
		{original.ErrIntValueOverflowError, miniredis.ErrIntValueOverflowError},
		{original.ErrFloatValueError, miniredis.ErrFloatValueError},
	} {
		require.Equal(t, pair[0].Error(), pair[1].Error())
	}
	m := miniredis.RunT(t)
	_, err := m.Get("none")
	require.Equal(t, miniredis.ErrKeyNotFound, err)
	require.NoError(t, m.Set("text", "abc"))
	_, err = m.Incr("text", 1)
	require.Equal(t, miniredis.ErrIntValueError, err)
	_, err = m.Incrfloat("text", 1)
	require.Equal(t, miniredis.ErrFloatValueError, err)
	_, err = m.List("text")
	require.Equal(t, miniredis.ErrWrongType, err)
	_, err = m.PfCount("text")
	require.Equal(t, miniredis.ErrNotValidHllValue, err)
	require.NoError(t, m.Set("most", "9223372036854775807"))
	_, err = m.Incr("most", 1)
	require.Equal(t, miniredis.ErrIntValueOverflowError, err)
	inBoth(t, func(s *scene) {
		s.call("PfAdd", "a", "x", "y")
		s.call("PfAdd", "a", "x")
		s.call("PfAdd", "b", "z")
		s.call("PfMerge", "c", "a", "b", "none")
		s.call("PfCount", "c")
		s.call("PfCount", "a", "none")
		s.call("Set", "most", "9223372036854775807")
		s.call("Incr", "most", 1)
		s.call("Set", "text", "abc")
		s.call("PfAdd", "text", "x")
		s.call("PfCount", "text")
		s.call("PfMerge", "a", "text")
	})
}

// Databases, and what is in them as text.
func TestDatabases(t *testing.T) {
	inBoth(t, func(s *scene) {
		s.fill()
		s.call("Set", "quotes", "a\nb\"\x00\xff")
		s.call("Set", "long", strings.Repeat("é", 100))
		s.call("Push", "longlist", strings.Repeat("x", 61), strings.Repeat("y", 60))
		s.call("ZAdd", "zset", 1e21, "big")
		s.call("HSet", "hash", "long", strings.Repeat("z", 2000))
		for _, n := range []int{60, 20, 10, 3000} {
			before := *s.lib.maxLine
			*s.lib.maxLine = n
			s.call("Dump")
			*s.lib.maxLine = before
		}
		s.call("Copy", 0, "zset", 3, "copy")
		s.call("Copy", 0, "none", 3, "copy")
		s.call("Copy", 0, "str", 0, "str")
		s.call("Copy", 0, "none", 0, "none")
		s.call("Copy", 0, "list", 0, "hash")
		s.call("SwapDB", 0, 3)
		s.call("Keys")
		s.call("Select", 3)
		s.call("Keys")
		db := call(s.m, "DB", 0)[0]
		s.callOf(db, "ZMembers", "copy")
		s.callOf(db, "ZMScore", "copy", []string{"a", "none"})
		s.callOf(db, "Set", "k", "v")
		s.call("Exists", "k")
		s.call("FlushDB")
		s.call("Dump")
		s.callOf(db, "Keys")
		s.call("FlushAll")
		s.callOf(db, "Keys")
	})
}

// Random calls on a few keys.
func TestRandomCalls(t *testing.T) {
	const rounds, length = 20, 400
	for round := range rounds {
		inBoth(t, func(s *scene) {
			dice := rand.New(rand.NewPCG(uint64(round), 1))
			key := func() string { return fmt.Sprint("k", dice.IntN(4)) }
			value := func() string { return fmt.Sprint(dice.IntN(5)) }
			calls := []func(){
				func() { s.call("Set", key(), value()) },
				func() { s.call("Get", key()) },
				func() { s.call("Incr", key(), dice.IntN(9)-4) },
				func() { s.call("Incrfloat", key(), float64(dice.IntN(9))/4) },
				func() { s.call("Push", key(), value(), value()) },
				func() { s.call("Lpush", key(), value()) },
				func() { s.call("Pop", key()) },
				func() { s.call("Lpop", key()) },
				func() { s.call("List", key()) },
				func() { s.call("SetAdd", key(), value(), value()) },
				func() { s.call("SRem", key(), value()) },
				func() { s.call("Members", key()) },
				func() { s.call("IsMember", key(), value()) },
				func() { s.call("ZAdd", key(), float64(dice.IntN(9))/2, value()) },
				func() { s.call("ZRem", key(), value()) },
				func() { s.call("SortedSet", key()) },
				func() { s.call("ZScore", key(), value()) },
				func() { s.call("HSet", key(), "f"+value(), value(), "g", value()) },
				func() { s.call("HGet", key(), "f"+value()) },
				func() { s.call("HIncr", key(), "n", dice.IntN(9)) },
				func() { s.call("HIncrfloat", key(), "x", float64(dice.IntN(9))/4) },
				func() { s.call("HKeys", key()) },
				func() { s.call("Del", key()) },
				func() {
					if k := key(); call(s.m, "Exists", k)[0].(bool) {
						s.call("SetTTL", k, time.Duration(1+dice.IntN(10))*time.Second)
					}
				},
				func() { s.call("TTL", key()) },
				func() { s.call("FastForward", time.Duration(dice.IntN(4000))*time.Millisecond) },
				func() { s.call("XAdd", key(), fmt.Sprintf("%d-1", 1+dice.IntN(9)), []string{"f", value()}) },
				func() { s.call("Stream", key()) },
			}
			for range length {
				calls[dice.IntN(len(calls))]()
				s.call("Dump")
			}
		})
	}
}

// The times.
func TestTimes(t *testing.T) {
	inBoth(t, func(s *scene) {
		at := time.Unix(1700000000, 123456000)
		s.dial()
		s.call("SetTime", at)
		s.do("TIME")
		at = at.Truncate(time.Second) // TTL rounds, and the original cuts off
		s.call("SetTime", at)
		for _, line := range []string{
			"TIME", "SET k v EXAT 1700000010", "TTL k", "EXPIRETIME k", "SET p v PX 1500", "PTTL p", "XADD s * f v",
			"XADD s * f v", "XGROUP CREATE s g 0", "XREADGROUP GROUP g ann COUNT 1 STREAMS s >", "EXPIREAT none 5",
		} {
			s.do(line)
		}
		s.call("FastForward", 2*time.Second)
		for _, line := range []string{"TIME", "EXISTS p", "TTL k", "PTTL k", "XPENDING s g - + 5", "XADD s * f v"} {
			s.do(line)
		}
		s.call("SetTime", at.Add(time.Minute))
		for _, line := range []string{
			"TIME", "PTTL k", "XPENDING s g - + 5", "XAUTOCLAIM s g ben 50000 0", "XADD s * f v",
		} {
			s.do(line)
		}
		s.do("EXPIREAT k 1700000059")
		s.do("EXISTS k")
		s.call("HSetEX", "h", time.Minute, "a", "1", "b", "2")
		s.call("HSet", "h", "c", "3")
		for _, field := range []string{"a", "b", "c", "none"} {
			s.call("HTTL", "h", field)
		}
		s.call("HPersist", "h", "a")
		s.call("HPersist", "h", "a")
		s.do("HTTL h FIELDS 3 a b c")
		s.call("FastForward", time.Minute)
		s.call("HKeys", "h")
		s.call("Set", "k", "v")
		s.call("SetTTL", "k", time.Hour)
		s.call("SetTTL", "k", time.Duration(0))
		s.call("TTL", "k")
		s.call("SetTTL", "k", time.Minute)
		s.call("ClockTTL", true)
		for _, later := range []time.Duration{60, 61, 80, 1, 61} {
			s.call("SetTime", at.Add(later*time.Second))
			s.call("TTL", "k")
		}
		s.call("ClockTTL", false)
		s.call("SetTime", at.Add(time.Hour))
		s.call("TTL", "k")
	})
}

// Who may come in.
func TestLogins(t *testing.T) {
	inBoth(t, func(s *scene) {
		// The end of the error for a wrong password is that of a later release here.
		do := func(line string) {
			reply := strings.TrimSuffix(s.c.ask(strings.Fields(line)...), " or user is disabled.")
			s.say("%s: %s", line, reply)
		}
		s.dial()
		do("PING")
		s.call("RequireAuth", "secret")
		for _, line := range []string{"GET k", "AUTH guess", "GET k", "AUTH secret", "GET k"} {
			do(line)
		}
		s.call("RequireUserAuth", "ann", "hers")
		s.dial()
		for _, line := range []string{"GET k", "AUTH ann secret", "AUTH ann hers", "GET k"} {
			do(line)
		}
		s.call("RequireAuth", "")
		s.dial()
		for _, line := range []string{"GET k", "AUTH secret", "AUTH default secret"} {
			do(line)
		}
		s.call("RequireUserAuth", "ann", "")
		do("GET k")
		do("AUTH secret")
	})
}

// Hooks, errors, counts and commands of a test, and what of them there is after a restart.
func TestHooksAndRestart(t *testing.T) {
	inBoth(t, func(s *scene) {
		s.say("register: %v", s.lib.register(s.m, "mine", "first"))
		s.say("register: %v", s.lib.register(s.m, "MINE", "second"))
		s.say("register: %v", s.lib.register(s.m, "get", "second"))
		s.dial()
		s.do("Mine a b")
		s.do("get k")
		s.lib.hook(s.m, "GET", "hooked")
		s.do("get k")
		s.do("mine")
		s.call("CommandCount")
		s.call("SetError", "LOADING for ever")
		for _, line := range []string{"get k", "mine", "ping", "auth x", "multi", "nope"} {
			s.do(line)
		}
		s.call("CommandCount")
		s.call("Set", "k", "v")
		s.lib.hook(s.m, "GET", "hooked again")
		s.do("get k")
		s.do("ping")
		s.call("SetError", "")
		s.do("get k")
		for _, line := range []string{"multi", "incr n", "mine", "exec"} {
			s.do(line)
		}
		s.say("eval: %s", s.c.ask("EVAL", "redis.call('INCR', 'n') return redis.call('GET', 'n')", "0"))
		s.call("CommandCount")
		s.call("TotalConnectionCount")
		s.call("CurrentConnectionCount")
		for _, name := range []string{"get", "SET", "mine", "eval", "nope", "xread"} {
			s.call("IsReadOnlyCommand", name)
		}
		s.call("SetTTL", "k", time.Minute)
		s.call("SetTime", time.Unix(1700000000, 0))
		s.call("Select", 1)
		s.call("Set", "inone", "v")
		addr := call(s.m, "Addr")[0]
		s.call("SetError", "ERR down")
		s.call("Close")
		s.say("%s", s.c.next())
		s.call("Close")
		s.call("Get", "inone")
		s.call("Set", "closed", "v")
		s.call("Restart")
		s.say("same address: %v", addr == call(s.m, "Addr")[0])
		s.call("Keys")
		s.dial()
		for _, line := range []string{"GET k", "TTL k", "TIME", "INCR n"} {
			s.do(line)
		}
		s.call("CommandCount")
		s.call("TotalConnectionCount")
		s.say("register: %v", s.lib.register(s.m, "mine", "again"))
		s.do("mine")
	})
}

// Messages.
func TestSubscribers(t *testing.T) {
	inBoth(t, func(s *scene) {
		sub := call(s.m, "NewSubscriber")[0]
		s.callOf(sub, "Subscribe", "b")
		s.callOf(sub, "Subscribe", "a")
		s.callOf(sub, "Psubscribe", "?")
		for _, method := range []string{"Count", "Channels", "Patterns"} {
			s.callOf(sub, method)
		}
		s.call("PubSubChannels", "")
		s.call("PubSubChannels", "a*")
		s.call("PubSubNumSub", "a", "none")
		s.call("PubSubNumPat")
		for _, publisher := range []any{s.m, sub} {
			published := make(chan []any, 1) // the original waits until the messages are read
			go func() { published <- call(publisher, "Publish", "a", "hello") }()
			for _, channel := range []string{"Messages", "Pmessages"} {
				v, _ := reflect.ValueOf(call(sub, channel)[0]).Recv()
				s.say("%+v", v.Interface())
			}
			s.say("published %v", <-published)
		}
		s.callOf(sub, "Unsubscribe", "a")
		s.callOf(sub, "Unsubscribe", "b")
		s.callOf(sub, "Unsubscribe", "none")
		s.callOf(sub, "Punsubscribe", "?")
		s.call("Publish", "a", "nobody")
		s.callOf(sub, "Close")
		_, open := reflect.ValueOf(call(sub, "Messages")[0]).Recv()
		s.say("open: %v", open)
		s.call("PubSubChannels", "")
		s.dial()
		s.do("SUBSCRIBE news")
		s.call("Publish", "news", "hi")
		s.say("%s", s.c.next())
	})
}

// errorfs counts the failures of a check.
type errorfs int

func (e *errorfs) Helper()               {}
func (e *errorfs) Errorf(string, ...any) { *e++ }

// The checks fail for the same data. What they say is their own.
func TestChecks(t *testing.T) {
	inBoth(t, func(s *scene) {
		s.fill()
		for _, key := range []string{"str", "int", "list", "set", "none"} {
			for _, expected := range [][]any{{"abc"}, {"5"}, {"a", "b"}, {"b", "a"}, {"a"}, {}, {"a", "b", "c"}} {
				var found [3]errorfs
				if len(expected) == 1 {
					call(s.m, "CheckGet", &found[0], key, expected[0])
				}
				call(s.m, "CheckList", append([]any{&found[1], key}, expected...)...)
				call(s.m, "CheckSet", append([]any{&found[2], key}, expected...)...)
				s.say("%s %v: %v", key, expected, found)
			}
		}
	})
}

// What applications send.
func TestCommands(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(`
SET k v NX
SET k w NX GET
GETSET k x
GETDEL k
MSET a 1 b 2
MGET a b none
INCRBYFLOAT a 0.5
APPEND b 34
STRLEN b
GETRANGE b 0 1
SETEX s 10 v
TTL s
PERSIST s
EXPIRE s 100 GT
EXPIRE s 100 NX
SETBIT bits 7 1
BITCOUNT bits
RPUSH l a b c
LRANGE l 0 -1
LINSERT l BEFORE b x
LREM l 0 a
LMOVE l m LEFT RIGHT
RPOPLPUSH l m
LPOS m x
BLPOP m 1
LTRIM m 0 0
HSET h f v g 1
HGETALL h
HINCRBY h g 5
HINCRBY h f 5
HSETNX h f z
HMGET h f none
HLEN h
HDEL h f g
EXISTS h
SADD s1 a b c
SADD s2 b c d
SINTERCARD 2 s1 s2
SINTERSTORE s3 s1 s2
SCARD s3
SMISMEMBER s1 a z
ZADD z 1 a 2 b 3 c
ZADD z GT CH 5 a
ZRANGE z 0 -1 WITHSCORES
ZRANGE z (2 +inf BYSCORE LIMIT 0 1
ZREVRANGE z 0 0
ZINCRBY z 2.5 b
ZRANK z b
ZPOPMIN z
ZREMRANGEBYSCORE z -inf 4
ZCARD z
XADD st 1-1 f v
XADD st 1-1 f v
XLEN st
XRANGE st - +
XREAD COUNT 1 STREAMS st 0
XGROUP CREATE st g 0
XREADGROUP GROUP g c STREAMS st >
XACK st g 1-1
TYPE st
RENAME st st2
RENAME none st2
COPY st2 st3
DEL st2 st3
GET l2 extra
GET
LPUSH a x
HGET a f
INCR s1
WATCH a
MULTI
INCR n
GET n
EXEC
MULTI
SET n
EXEC
DISCARD
SCAN 0 COUNT 100 MATCH z*
OBJECT IDLETIME z
DBSIZE
FLUSHALL
RANDOMKEY
SELECT 16
SELECT -1
ECHO hi
PING hi
SPOP none
SRANDMEMBER none 2
EVALSHA ffffffffffffffffffffffffffffffffffffffff 0
SCRIPT EXISTS ffffffffffffffffffffffffffffffffffffffff
GEOADD places 13.361389 38.115556 Palermo 15.087269 37.502669 Catania
GEODIST places Palermo Catania km
GEOSEARCH places FROMLONLAT 15 37 BYRADIUS 200 km ASC
PFADD hll a b
PFCOUNT hll
`), "\n")
	// The original differs from Redis, with which our own are compared.
	differs := map[string]string{
		"HINCRBY h f 5": "Redis says that it is the value of a hash",
		"SELECT 16":     "Redis has 16 databases unless it is configured otherwise",
	}
	inBoth(t, func(s *scene) {
		s.dial()
		for _, line := range lines {
			if _, known := differs[line]; known {
				s.c.ask(strings.Fields(line)...)
				continue
			}
			s.do(line)
		}
	})
}
