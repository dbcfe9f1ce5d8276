package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// checkCommand finds commands that do not exist, that came later than the target, that scripts may
// not call, or that get another number of arguments.
func (c *invocation) checkCommand() {
	came := c.since()
	switch {
	case c.name == "" || c.cmd == nil && c.run.linter.isForeign(c.name):
	case came == "":
		c.run.report("unknown-command", c.call.At, "There is no command %s in any known release: correct its name.", c)
	case !c.run.linter.target.Offers(release.From(came)):
		c.run.report("newer-command", c.call.At, "%s was added in %s: %s does not have it.", c, inWords(came),
			c.run.linter.target)
	case c.cmd == nil:
	case c.cmd.Flags&command.NoScript != 0:
		c.run.report("not-in-scripts", c.call.At, "Scripts cannot call %s.", c)
	case c.run.readOnly && c.isWrite():
		c.run.report("write-in-read-only", c.call.At,
			"%s writes, but the program has the flag no-writes: remove the flag.", c)
	case !c.fits(c.cmd.Arity):
		c.run.report("wrong-arguments", c.call.At, "%s gets %s, but its syntax is %s %s.", c,
			plural(len(c.args), "argument"), c, c.cmd.Usage())
	}
}

// isForeign reports whether a command is of a module of which no command is known.
func (l *Linter) isForeign(name string) bool {
	module, _, dotted := strings.Cut(name, ".")
	return dotted && !slices.ContainsFunc(l.engine.Commands.All(), func(c *command.Command) bool {
		return strings.HasPrefix(c.Name, module+".")
	})
}

// since returns when the command came, "" if it is in no known release.
func (c *invocation) since() string {
	if c.cmd == nil {
		return cameElsewhere(c.name)
	}
	return c.cmd.Since
}

// inWords returns in words when something came.
func inWords(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		if product, version, named := strings.Cut(word, ":"); named {
			words[i] = nameOf(product) + " " + strings.TrimSuffix(version, ".0")
		} else {
			words[i] = "Redis " + strings.TrimSuffix(word, ".0")
		}
	}
	return strings.Join(words, " and ")
}

// nameOf returns the name of a product, such as "Redis Stack" of "redis-stack".
func nameOf(product string) string {
	words := strings.Split(product, "-")
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, " ")
}

// fits reports whether a command with an arity may take the arguments of the call: a negative arity
// is the least number, the name included, as in COMMAND INFO. Unknown arguments make up what is
// missing.
func (c *invocation) fits(arity int) bool {
	n := c.skip + len(c.args)
	switch {
	case c.open && arity > 0:
		return n <= arity
	case c.open:
		return true
	case arity < 0:
		return n >= -arity
	}
	return n == arity
}

// checkOptions finds options and further arguments that came later than the target. A key may have
// the name of an option, so keys are left out. Only the first one is reported: options that came
// together are written together.
func (c *invocation) checkOptions() {
	if c.cmd == nil || !c.run.linter.target.Offers(release.From(c.cmd.Since)) {
		return
	}
	keys := c.keys()
	for i, v := range c.args {
		if !v.exact || slices.ContainsFunc(keys, func(k key) bool { return k.value == v }) {
			continue
		}
		if came := c.newer(v.text); came != "" {
			c.run.report("newer-option", c.at(i), "The option %s of %s was added in %s: %s does not have it.",
				strings.ToUpper(v.text), c, inWords(came), c.run.linter.target)
			return
		}
	}
	if arity := c.cmd.ArityIn(c.run.linter.target); c.fits(c.cmd.Arity) && !c.fits(arity) {
		c.run.report("newer-option", c.call.At, "%s does not take %s in %s.", c, plural(len(c.args), "argument"),
			c.run.linter.target)
	}
}

// newer returns when an option came that the target does not have, "" if it has it, or the word is
// none. The command table knows the options of our commands, elsewhere those of other servers.
func (c *invocation) newer(word string) (came string) {
	target := c.run.linter.target
	if came, later := c.cmd.WordSince(target, word); later {
		return came
	}
	if came = cameElsewhere(c.name + "|" + word); came == "" || target.Offers(release.From(came)) {
		return ""
	}
	return came
}

// checkArguments finds arguments that redis.call or the command refuses. A false that came of an
// absent key is no such value but a missing check: uses reports that.
func (c *invocation) checkArguments() {
	for i, v := range c.args {
		switch {
		case v.absent == nil && v.only(isFalsy|isTrue|isFunction):
			c.run.report("bad-argument", c.at(i),
				"Argument %d of %s is a value that redis.call refuses: pass a string or a number.", i+1, name(c))
		case v.only(isTable):
			c.run.report("bad-argument", c.at(i),
				"Argument %d of %s is a table: pass its elements with unpack, or a string.", i+1, name(c))
		default:
			c.run.uses(c.at(i), v, "passing it to "+name(c))
		}
	}
	for i, a := range c.meanings() {
		if a != nil && a.IsInteger() && c.args[i].exact && c.args[i].kinds == isText && !isInteger(c.args[i].text) {
			c.run.report("bad-argument", c.at(i), "%s takes an integer here, which '%s' is not.", c, c.args[i].text)
		}
		if a != nil && a.IsInteger() && c.args[i].fraction && c.args[i].kinds == isNumber {
			c.run.report("fraction-argument", c.at(i),
				"%s takes an integer here: round the number with math.floor or math.ceil.", c)
		}
	}
}

func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// name returns the name of a command, or redis.call if it is not constant.
func name(c *invocation) string {
	if c.name == "" {
		return "redis.call"
	}
	return c.String()
}

// replicates is when effects became what scripts replicate.
var replicates = release.From("5.0.0")

// checkRandom finds writes behind a command whose reply differs from one server to the next, where
// the script itself is replicated: a replica that ran it again would write something else. So old
// releases refuse the write.
func (c *invocation) checkRandom() {
	if c.run.effects || c.cmd == nil || c.run.linter.target.Has(replicates) {
		return
	}
	if c.isWrite() && c.run.random != nil {
		c.run.report("write-after-random", c.call.At, "%s refuses %s after %s: call redis.replicate_commands() first.",
			c.run.linter.target, c, c.run.random)
	}
	if c.cmd.IsRandom() {
		c.run.random = c
	}
}

// checkProtected finds a redis.pcall whose reply is dropped. One that is kept in a variable is the
// affair of locals.reportProtected.
func (c *invocation) checkProtected() {
	if c.protected && c.run.discarded == c.call {
		c.run.report("ignored-error", c.call.At,
			"The error that redis.pcall returns is ignored: use redis.call, or check the field err.")
	}
}
