//go:build linux

package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/miniserver-go/miniserver/internal/hunt/linear"
	"github.com/miniserver-go/miniserver/resp"
)

// unexpired is a time in which nothing expires: a life is shorter, unless a clock that jumps gets
// through to the data.
const unexpired = "600000"

// object is what clients do operations on until its history is full.
type object struct {
	linear.History
	key string
}

// objects are those of a life.
type objects struct {
	mu      sync.Mutex
	current map[string][]*object // by model
	all     []*object
}

// several is the number of objects of a model at a time.
const several = 4

// choose returns an object whose history is not full, of a random model.
func (s *objects) choose(r *rand.Rand) *object {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := linear.Models[r.IntN(len(linear.Models))]
	list := slices.DeleteFunc(s.current[m.Name], func(o *object) bool { return o.Full() })
	for len(list) < several {
		o := &object{key: "{" + m.Name + strconv.Itoa(len(s.all)) + "}", History: linear.History{Model: m}}
		list, s.all = append(list, o), append(s.all, o)
	}
	s.current[m.Name] = list
	o := list[r.IntN(len(list))]
	o.Begin()
	return o
}

// The scripts: owners compare and delete, a limiter counts in a window, accounts move what is in
// them.
const (
	unlockScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`
	takeScript   = `local n = tonumber(redis.call('GET', KEYS[1]) or '0') if n >= tonumber(ARGV[1]) then return 0 end ` + `redis.call('INCR', KEYS[1]) if n == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return n + 1`
	moveScript   = `return redis.call('DECRBY', KEYS[1], ARGV[1]) .. ' ' .. redis.call('INCRBY', KEYS[2], ARGV[1])`
)

// An operation is what a client can do: commands, and what its reply says in the words of the
// model.
type operation struct {
	name    string
	unique  bool // its argument
	command func(key, arg string) []string
}

// written is how clients write operations of a model; GET is one of each.
var written = map[string][]operation{
	"register": {{"SET", true, func(key, arg string) []string { return []string{"SET", key, arg} }},
		{"GETSET", true, func(key, arg string) []string { return []string{"GETSET", key, arg} }}},
	"counter": {{"INCR", false, func(key, _ string) []string { return []string{"INCR", key} }}},
	"lock": {{"LOCK", true, func(key, arg string) []string { return []string{"SET", key, arg, "NX", "PX", unexpired} }},
		{"UNLOCK", false, func(key, arg string) []string { return []string{"EVAL", unlockScript, "1", key, arg} }}},
	"window": {{"TAKE", false, func(key, _ string) []string {
		return []string{"EVAL", takeScript, "1", key, strconv.Itoa(linear.Limit), unexpired}
	}}},
	"queue": {{"RPUSH", true, func(key, arg string) []string { return []string{"RPUSH", key, arg} }},
		{"LPOP", false, func(key, _ string) []string { return []string{"LPOP", key} }},
		{"BLPOP", false, func(key, _ string) []string { return []string{"BLPOP", key, "0.1"} }}},
	"pair": {{"MOVE", false,
		func(key, arg string) []string { return []string{"EVAL", moveScript, "2", key + "a", key + "b", arg} }}},
}

// get returns the command that reads an object.
func (o *object) get() []string {
	switch o.Model.Name {
	case "queue":
		return []string{"LRANGE", o.key, "0", "-1"}
	case "pair":
		return []string{"MGET", o.key + "a", o.key + "b"}
	}
	return []string{"GET", o.key}
}

// said returns a reply in the words of the model.
func (o *object) said(name string, v resp.Value) string {
	switch {
	case v.Kind == resp.Integer:
		return strconv.FormatInt(v.Int, 10)
	case name == "BLPOP" && len(v.Elems) == 2:
		return v.Elems[1].Text
	case o.Model.Name == "pair" && len(v.Elems) == 2:
		return strings.TrimSpace(v.Elems[0].Text + " " + v.Elems[1].Text)
	case len(v.Elems) > 0:
		var words []string
		for _, e := range v.Elems {
			words = append(words, e.Text)
		}
		return strings.Join(words, ",")
	}
	return v.Text
}

// operate does a random operation on an object and notes it.
func (c *client) operate(o *object) {
	choices := written[o.Model.Name]
	i := c.r.IntN(len(choices) + 1)
	if i == len(choices) && o.Model.Name == "counter" && c.r.IntN(2) == 0 {
		c.transact(o)
		return
	}
	if i == len(choices) {
		c.note(o, "GET", "", o.get())
		return
	}
	arg := strconv.Itoa(1 + c.r.IntN(9))
	if choices[i].unique {
		c.values++
		arg = strconv.Itoa(c.id) + "-" + strconv.Itoa(c.values)
	}
	if choices[i].name == "LOCK" {
		c.token = arg
	}
	if choices[i].name == "UNLOCK" {
		arg = c.token
	}
	c.note(o, choices[i].name, arg, choices[i].command(o.key, arg))
}

// note sends a command, and notes what the client saw.
func (c *client) note(o *object, name, arg string, command []string) {
	c.noted(o, linear.Operation{Client: c.id, Name: name, Arg: arg, Call: time.Since(c.began)}, func() (string, fate) {
		v, known := c.call(command...)
		return o.said(name, v), known
	})
}

// noted does an operation and notes its end. A read whose reply is lost says nothing.
func (c *client) noted(o *object, op linear.Operation, do func() (string, fate)) {
	reply, known := do()
	op.Reply, op.End = reply, time.Since(c.began)
	c.score(known)
	switch {
	case known == confirmed:
		o.Done(op)
	case known == unknown && op.Name != "GET":
		o.Lose(op)
	default:
		o.Drop()
	}
	if known == confirmed && op.Name != "GET" {
		c.wrote(op.Call, op.End)
	}
}

// transact counts in a transaction: WATCH, GET, MULTI, SET, EXEC.
func (c *client) transact(o *object) {
	if _, known := c.call("WATCH", o.key); known != confirmed {
		o.Drop()
		return
	}
	v, known := c.call("GET", o.key)
	if known != confirmed {
		o.Drop()
		return
	}
	n, _ := strconv.Atoi(v.Text)
	next := strconv.Itoa(n + 1)
	c.noted(o, linear.Operation{Client: c.id, Name: "EXEC", Arg: v.Text, Call: time.Since(c.began)},
		func() (string, fate) {
			v, known := c.call("MULTI", "SET", o.key, next)
			if known == confirmed && len(v.Elems) == 0 { // another client was faster, perhaps before the GET
				known = refused
			}
			return next, known
		})
}
