package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// invocation is a redis.call in a script, with the command that it calls.
//
// A place may have several, as a loop or a helper reaches it with other arguments.
type invocation struct {
	run       *run
	call      *syntax.CallExpr
	name      string           // in lower case, container|sub for a subcommand; "" if it is not constant
	cmd       *command.Command // nil if unknown
	args      []*value         // behind the name; of a subcommand behind both words
	skip      int              // words of the name
	rest      *value           // what further arguments are
	open      bool             // there may be further arguments
	protected bool             // redis.pcall
}

// String returns the name as people write it.
func (c *invocation) String() string { return strings.ToUpper(strings.ReplaceAll(c.name, "|", " ")) }

// at returns where an argument behind the name stands, the place of the call if the expression does
// not say.
func (c *invocation) at(i int) int32 {
	if i += c.skip; i < len(c.call.Args) {
		return place(c.call.Args[i], c.call.At)
	}
	if n := len(c.call.Args); n > 0 {
		return place(c.call.Args[n-1], c.call.At)
	}
	return c.call.At
}

// hasWord reports whether an argument is the constant word.
func (c *invocation) hasWord(word string) bool { return c.wordAt(word) >= 0 }

// wordAt returns the position of a constant word, -1 if it is missing.
func (c *invocation) wordAt(word string) int {
	return slices.IndexFunc(c.args, func(v *value) bool { return v.exact && strings.EqualFold(v.text, word) })
}

// variableFrom reports whether an argument from i on is not constant, so that it could be any word.
func (c *invocation) variableFrom(i int) bool {
	for ; i < len(c.args); i++ {
		if !c.args[i].exact {
			return true
		}
	}
	return false
}

// hasUnknowns reports whether there may be any words among the arguments: further ones, or some
// that are not constant and that the command does not need in their place.
func (c *invocation) hasUnknowns() bool { return c.open || c.variableFrom(c.cmd.Least()-c.skip) }

// meanings returns what the arguments are in the command's syntax; nil for those of which that is
// unknown.
func (c *invocation) meanings() []*command.Argument {
	if c.cmd == nil {
		return nil
	}
	words := make([]string, len(c.args))
	for i, v := range c.args {
		if v.exact {
			words[i] = v.text
		}
	}
	return c.cmd.Meanings(words)
}

// isWrite reports whether the command changes data.
func (c *invocation) isWrite() bool { return c.cmd != nil && c.cmd.Flags&command.Write != 0 }

// redisCall evaluates redis.call or redis.pcall and applies the rules about commands. From here on
// the keys that the command writes count as asked about, since something is in them; but not those
// that it may delete.
func (r *run) redisCall(e *syntax.CallExpr, args []*value, rest *value, protected bool) *value {
	c := &invocation{run: r, call: e, args: args, rest: rest, open: rest != nil, protected: protected}
	c.resolve()
	c.check()
	v := c.reply()
	for _, k := range c.keys() {
		if c.isWrite() && !strings.Contains(k.access, "delete") {
			r.scope.checked[k.name()] = true
		}
	}
	return v
}

// check applies the rules about commands. The other rules are where what they look for is
// evaluated.
func (c *invocation) check() {
	c.checkCommand()
	c.checkOptions()
	c.checkArguments()
	c.run.keys.check(c)
	c.run.keys.checkSlots(c)
	c.checkRandom()
	c.run.loads.check(c)
	c.checkProtected()
}

// resolve finds the command that the arguments name, and cuts its words off them. A program that
// calls a command whose name is not constant is dynamic: rules that miss a command are silent then.
func (c *invocation) resolve() {
	if len(c.args) == 0 || !c.args[0].exact {
		c.run.dynamic = c.run.dynamic || len(c.args) > 0 || c.open
		return
	}
	c.name, c.skip = strings.ToLower(c.args[0].text), 1
	words := [][]byte{[]byte(c.name)}
	if len(c.args) > 1 && c.args[1].exact {
		words = append(words, []byte(c.args[1].text))
	}
	c.cmd, _ = c.run.linter.engine.Commands.Resolve(words)
	if c.cmd != nil && c.cmd.IsSub() {
		c.name, c.skip = c.cmd.FullName(), 2
	}
	c.args = c.args[c.skip:]
	c.run.names[c.name] = true
}

// words returns the arguments as the engine has them, the name first; a byte stands for what is not
// constant, and for further arguments. There are as many as the command takes at least. No option
// and no number has that byte, so a keyspec that looks for one finds no keys.
func (c *invocation) words() [][]byte {
	var words [][]byte
	for word := range strings.SplitSeq(c.name, "|") {
		words = append(words, []byte(word))
	}
	for _, v := range c.args {
		if v.exact {
			words = append(words, []byte(v.text))
		} else {
			words = append(words, []byte{0})
		}
	}
	for c.open && (len(words) <= len(c.args)+c.skip || len(words) < max(c.cmd.Arity, -c.cmd.Arity)) {
		words = append(words, []byte{0})
	}
	return words
}

// key is an argument that is a key.
type key struct {
	*value
	at     int32
	access string // in the words of command.Keys
}

// keys returns the arguments that are keys; none if that depends on what is unknown.
func (c *invocation) keys() (keys []key) {
	if c.cmd == nil {
		return nil
	}
	words := c.words()
	if !c.cmd.Fits(len(words)) {
		return nil
	}
	uses, _ := c.cmd.Keys.At(words)
	for _, use := range uses {
		if use.Access == "not_key" {
			continue
		}
		switch i := use.At - c.skip; {
		case i < len(c.args):
			keys = append(keys, key{c.args[i], c.at(i), use.Access})
		case c.rest != nil:
			keys = append(keys, key{c.rest, c.at(i), use.Access})
		}
	}
	return keys
}

// about returns the names of the keys. Where no key is known, such as in unpack(args), the reply
// itself stands for them: a script that looks how long it is knows whether something is there.
func (c *invocation) about() (names []string) {
	for _, k := range c.keys() {
		names = append(names, k.name())
	}
	if names == nil {
		names = []string{"reply@" + strconv.Itoa(int(c.call.At))}
	}
	return names
}
