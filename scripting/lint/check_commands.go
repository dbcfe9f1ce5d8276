package lint

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
)

// checkCommand finds commands that do not exist, that came later than the target, that scripts may not call, or that get
// another number of arguments.
func (r *run) checkCommand(c *invocation) {
	came := c.since()
	switch {
	case c.name == "" || strings.Contains(c.name, "."): // of a module
	case came == "":
		r.report("unknown-command", c.call.At, "There is no command %s in any known release: correct its name.", c)
	case !r.linter.target.Offers(release.From(came)):
		r.report("newer-command", c.call.At, "%s was added in %s: %s does not have it.", c, inWords(came), r.linter.target)
	case c.cmd == nil:
	case c.cmd.Flags&command.NoScript != 0:
		r.report("not-in-scripts", c.call.At, "Scripts cannot call %s.", c)
	case r.readOnly && c.isWrite():
		r.report("write-in-read-only", c.call.At, "%s writes, but the program has the flag no-writes: remove the flag.", c)
	case !c.fits(c.cmd.Arity):
		r.report("wrong-arguments", c.call.At, "%s gets %s, but its syntax is %s %s.", c, plural(len(c.args), "argument"), c, c.cmd.Usage())
	}
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
			words[i] = strings.ToUpper(product[:1]) + product[1:] + " " + strings.TrimSuffix(version, ".0")
		} else {
			words[i] = "Redis " + strings.TrimSuffix(word, ".0")
		}
	}
	return strings.Join(words, " and ")
}

// fits reports whether a command with an arity may take the arguments of the call.
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

// checkOptions finds options and further arguments that came later than the target.
func (r *run) checkOptions(c *invocation) {
	if c.cmd == nil || !r.linter.target.Offers(release.From(c.cmd.Since)) {
		return
	}
	keys := c.keys()
	for i, v := range c.args {
		if !v.exact || slices.ContainsFunc(keys, func(k key) bool { return k.value == v }) {
			continue
		}
		if came := c.newer(v.text); came != "" {
			r.report("newer-option", c.at(i), "The option %s of %s was added in %s: %s does not have it.", strings.ToUpper(v.text), c,
				inWords(came), r.linter.target)
			return
		}
	}
	if arity := c.cmd.ArityIn(r.linter.target); c.fits(c.cmd.Arity) && !c.fits(arity) {
		r.report("newer-option", c.call.At, "%s does not take %s in %s.", c, plural(len(c.args), "argument"), r.linter.target)
	}
}

// newer returns when an option came that the target does not have, "" if it has it, or the word is none.
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

// checkArguments finds arguments that redis.call or the command refuses.
func (r *run) checkArguments(c *invocation) {
	for i, v := range c.args {
		switch {
		case v.absent == nil && v.only(isFalsy|isTrue|isFunction):
			r.report("bad-argument", c.at(i), "Argument %d of %s is a value that redis.call refuses: pass a string or a number.", i+1, name(c))
		case v.only(isTable):
			r.report("bad-argument", c.at(i), "Argument %d of %s is a table: pass its elements with unpack, or a string.", i+1, name(c))
		default:
			r.uses(c.at(i), v, "passing it to "+name(c))
		}
	}
	for i, a := range c.meanings() {
		if a != nil && a.IsInteger() && c.args[i].fraction && c.args[i].kinds == isNumber {
			r.report("fraction-argument", c.at(i), "%s takes an integer here: round the number with math.floor or math.ceil.", c)
		}
	}
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

// checkRandom finds writes behind a command whose reply differs from one server to the next, where the script itself is
// replicated.
func (r *run) checkRandom(c *invocation) {
	if r.effects || c.cmd == nil || r.linter.target.Has(replicates) {
		return
	}
	if c.isWrite() && r.random != nil {
		r.report("write-after-random", c.call.At, "%s refuses %s after %s: call redis.replicate_commands() first.", r.linter.target, c, r.random)
	}
	if c.cmd.IsRandom() {
		r.random = c
	}
}

// checkProtected notes a redis.pcall whose reply is dropped.
func (r *run) checkProtected(c *invocation) {
	if c.protected && r.discarded == c.call {
		r.report("ignored-error", c.call.At, "The error that redis.pcall returns is ignored: use redis.call, or check the field err.")
	}
}

// reportProtected finds replies of redis.pcall in variables that are never read.
func (r *run) reportProtected() {
	for _, d := range r.declared {
		if d.value.pending != nil && !r.read[d.variable] {
			r.report("ignored-error", d.value.pending.call.At, "The error that redis.pcall returns is ignored: use redis.call, or check the field err.")
		}
	}
}
