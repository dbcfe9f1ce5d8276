//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// openACL gives a user random rules and tries random commands by each road. redis-server's ACL
// DRYRUN says for the commands that it has whether the user may run them. Whatever it says, no
// reply may show the value of a key that the user may not read, and no key may change that the user
// may not write.
func openACL(h *hunt) (step, error) {
	ours, err := h.serve(append(h.like(), "--enable-debug-command", "yes")...)
	if err != nil {
		return nil, err
	}
	redis, err := h.compare()
	if err != nil {
		return nil, err
	}
	return func(r *rand.Rand) error {
		a := &aclAttack{hunt: h, r: r, rights: map[string]string{}}
		if a.admin, err = ours.dial(); err != nil {
			return err
		}
		defer a.admin.Close()
		if redis != nil {
			if a.redis, err = redis.dial(); err != nil {
				return err
			}
			defer a.redis.Close()
		}
		return a.run(ours)
	}, nil
}

// aclAttack is the attempts of one user.
type aclAttack struct {
	*hunt
	r            *rand.Rand
	admin, redis *conn
	user         *conn
	rules        []string
	rights       map[string]string // by the first letter of the keys: a part of "RW"
}

// aclKeys are the keys, of each type with each first letter.
var aclKeys = strings.Fields("a:str a:hash a:set a:zset a:list a:stream b:str b:hash b:set b:zset b:list b:stream " +
	"c:str c:hash c:set c:zset c:list c:stream")

func (a *aclAttack) run(ours *target) (err error) {
	a.rules = a.randomRules()
	if err := a.prepare(); err != nil {
		return err
	}
	if a.user, err = ours.dial(); err != nil {
		return err
	}
	defer a.user.Close()
	if _, err := a.user.do("AUTH", "mallory", "x"); err != nil {
		return err
	}
	for range 20 {
		if err := a.attempt(); err != nil {
			return err
		}
	}
	return nil
}

// randomRules returns rules for commands, and for the keys of each letter and channels of the same
// name. Half of the users have the rights to one letter in a selector of its own.
func (a *aclAttack) randomRules() []string {
	commands := pick(a.r, []string{"+@all", "+@all", "+@all -@dangerous", "+@read", "+@write +@connection",
		"+@all -@write", "+@all -get -hset"})
	rules := []string{"reset", "on", "nopass"}
	rules = append(rules, strings.Fields(commands+" +eval +eval_ro +fcall +multi +exec +discard +auth")...)
	for _, letter := range []string{"a", "b", "c"} {
		a.rights[letter] = pick(a.r, []string{"", "R", "W", "RW"})
		if a.rights[letter] == "" {
			continue
		}
		keys := "%" + a.rights[letter] + "~" + letter + ":*"
		if a.r.IntN(4) == 0 {
			rules = append(rules, "(+@all "+keys+" &"+letter+"*)")
		} else {
			rules = append(rules, keys, "&"+letter+"*")
		}
	}
	return rules
}

// prepare fills both servers with the same data and makes the user.
func (a *aclAttack) prepare() error {
	lines := [][]string{{"FLUSHALL"}, append([]string{"ACL", "SETUSER", "mallory"}, a.rules...),
		{"FUNCTION", "LOAD", "REPLACE",
			"#!lua name=roads\nredis.register_function('run', function(_, args) return redis.pcall(unpack(args)) end)"}}
	for _, key := range aclKeys {
		lines = append(lines, fill(key))
	}
	for _, c := range []*conn{a.admin, a.redis} {
		for _, line := range lines {
			if c == nil {
				break
			}
			if v, err := c.do(line...); err != nil || v.IsError() {
				return fmt.Errorf("%.60q: %v %v", line, v.Text, err)
			}
		}
	}
	return nil
}

// secretOf is in the values of the keys with a letter.
func secretOf(letter string) string { return "secret-of-" + letter }

// fill returns the command that makes a key.
func fill(key string) []string {
	letter, kind, _ := strings.Cut(key, ":")
	value := secretOf(letter)
	return map[string][]string{
		"str": {"SET", key, value}, "hash": {"HSET", key, value, value}, "set": {"SADD", key, value}, "zset": {"ZADD",
			key, "1", value}, "list": {"RPUSH", key, value, value}, "stream": {"XADD", key, "1-1", value, value},
	}[kind]
}

// attempt tries one command by one road.
func (a *aclAttack) attempt() error {
	command := a.command()
	road := aclRoads[a.r.IntN(len(aclRoads))]
	a.count("attempts", 1)
	a.doing("redis-cli ACL SETUSER mallory '%s'\nredis-cli --user mallory --pass x %s # %s",
		strings.Join(a.rules, "' '"), strings.Join(command, " "), road.name)
	before, err := a.digests()
	if err != nil {
		return err
	}
	reply, reached, err := road.try(a.user, command)
	if err != nil {
		return err
	}
	if err := a.judge(command, reply, reached, road.refusal); err != nil {
		return err
	}
	after, err := a.digests()
	if err != nil {
		return err
	}
	for i, key := range aclKeys {
		if before[i] != after[i] && !strings.Contains(a.rights[key[:1]], "W") {
			a.found(fmt.Sprintf("%s changes a key that its user may not write", command[0]), a.attempted())
		}
	}
	if !slices.Equal(before, after) {
		return a.prepare()
	}
	return nil
}

// judge compares what became of a command with redis-server's opinion and with the user's rights.
// refusal is how the error of a missing right begins.
func (a *aclAttack) judge(command []string, reply resp.Value, reached bool, refusal string) error {
	passed := reached && !(reply.IsError() && strings.HasPrefix(reply.Text, refusal))
	for letter, rights := range a.rights {
		if passed && !strings.Contains(rights, "R") && strings.Contains(reply.Raw(), secretOf(letter)) {
			a.found(fmt.Sprintf("%s shows a key that its user may not read", command[0]), a.attempted())
		}
	}
	if a.redis == nil || !reached {
		return nil
	}
	verdict, err := a.redis.do(append([]string{"ACL", "DRYRUN", "mallory"}, command...)...)
	if err != nil || verdict.IsError() {
		return err // it does not have the command
	}
	a.count("compared", 1)
	if may := verdict.Text == "OK"; may != passed {
		a.found(fmt.Sprintf("%s: redis-server says %q, miniserver %.100q", command[0], verdict.Text, reply.Raw()),
			a.attempted())
	}
	return nil
}

// digests returns the digest of each key's value.
func (a *aclAttack) digests() (all []string, err error) {
	v, err := a.admin.do(append([]string{"DEBUG", "DIGEST-VALUE"}, aclKeys...)...)
	for _, item := range v.Elems {
		all = append(all, item.Text)
	}
	if err == nil && len(all) != len(aclKeys) {
		err = fmt.Errorf("DEBUG DIGEST-VALUE: %s", v.Text)
	}
	return all, err
}

// road is a way to run a command. It returns the command's reply; reached is false if the road
// itself was closed.
type road struct {
	name    string
	refusal string // how the error of a missing right begins
	try     func(c *conn, command []string) (reply resp.Value, reached bool, err error)
}

const refusalInScript = "ERR ACL failure in script"

var aclRoads = []road{
	{"by itself", "NOPERM", func(c *conn, command []string) (resp.Value, bool, error) {
		v, err := c.do(command...)
		return v, true, err
	}},
	{"in MULTI", "NOPERM", tryInMulti},
	{"in EVAL, keys undeclared", refusalInScript, tryInProgram("EVAL", "return redis.pcall(unpack(ARGV))", "0")},
	{"in EVAL_RO, keys undeclared", refusalInScript, tryInProgram("EVAL_RO", "return redis.pcall(unpack(ARGV))", "0")},
	{"in FCALL, keys undeclared", refusalInScript, tryInProgram("FCALL", "run", "0")},
}

func tryInMulti(c *conn, command []string) (v resp.Value, reached bool, err error) {
	if v, err = c.do("MULTI"); err != nil || v.IsError() {
		return v, false, err
	}
	if v, err = c.do(command...); err != nil || v.IsError() {
		c.do("DISCARD")
		return v, true, err
	}
	if v, err = c.do("EXEC"); err != nil || len(v.Elems) != 1 {
		return v, false, err
	}
	return v.Elems[0], true, nil
}

// tryInProgram returns a road through a script or function. What may not run in scripts does not
// reach its end.
func tryInProgram(program ...string) func(c *conn, command []string) (resp.Value, bool, error) {
	return func(c *conn, command []string) (resp.Value, bool, error) {
		v, err := c.do(append(slices.Clone(program), command...)...)
		closed := v.IsError() && (strings.Contains(v.Text, "from script") ||
			strings.Contains(v.Text, "read-only script") || strings.Contains(v.Text, "called from script"))
		return v, !closed, err
	}
}
