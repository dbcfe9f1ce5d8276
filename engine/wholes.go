package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Up to Redis 6.2 a command and its subcommands were one command: CONFIG, not CONFIG GET and CONFIG SET. COMMAND, ACL CAT and
// INFO know only this whole, and the gate compares its flags. What tips say since then, flags said.

// wholeWordings are the errors about commands, subcommands and their arguments before 7.0.
var wholeWordings = []Wording{
	{Before: "7.0.0", Error: ErrSubArgs, Was: "ERR Unknown subcommand or wrong number of arguments for '%s'. Try %s HELP."},
	{Before: "7.0.0", Error: ErrUnknownCommand, Was: "ERR unknown command `%s`, with args beginning with: %s"},
	{Before: "7.0.0", Error: ErrUnknownArg, Was: "`%s`, "},
	{Before: "7.0.0", Error: ErrPairsArity, Was: "ERR wrong number of arguments for %[2]s"},
	{Before: "7.0.0", Error: ErrExpireTime, Was: "ERR invalid expire time in %s"},
	{Before: "7.0.0", Error: ErrRewriteAll, Was: "ERR CONFIG-REWRITE-FORCE-ALL failed"},
}

// splits is when subcommands became commands, and tips, keyspecs and COMMAND DOCS came.
var splits = release.From("7.0.0")

// tipsToFlags gives a line that has neither flag the one that stood for its tips.
func (cmd *Command) tipsToFlags() {
	switch {
	case cmd.Flags&(Random|SortForScript) != 0:
	case cmd.IsRandom():
		cmd.Flags |= Random
	case slices.Contains(strings.Fields(cmd.Tips), "nondeterministic_output_order"):
		cmd.Flags |= SortForScript
	}
}

// join makes one command of a container and its subcommands. It has the flags and the keys of all of them, beside its own, and they have its
// name, flags and categories. They keep their handlers, and the flags that no such release shows. HELP adds nothing.
func (cmd *Command) join(shown Flags) {
	cmd.whole = true
	for i := range cmd.Subs {
		if sub := &cmd.Subs[i]; sub.Name != "help" {
			cmd.Flags |= sub.Flags & shown
			if cmd.Keys.isEmpty() && cmd.Flags&MovableKeys == 0 {
				cmd.Keys = sub.Keys
			}
		}
	}
	for i := range cmd.Subs {
		sub := &cmd.Subs[i]
		sub.full, sub.ACL, sub.Flags = cmd.full, cmd.ACL, sub.Flags&^shown|cmd.Flags&shown
	}
	if cmd.Run == nil {
		cmd.Run = func(c *Call) { c.Fail(c.SubSyntaxError()) }
	}
}

// isOfWholeWithKeys reports whether a command is a whole, or part of one, that may have keys.
func (cmd *Command) isOfWholeWithKeys() bool {
	whole := cmd
	if cmd.parent != nil {
		whole = cmd.parent
	}
	return whole.whole && (whole.Flags&MovableKeys != 0 || !whole.Keys.isEmpty())
}

// listed returns the subcommands that are commands of their own.
func (cmd *Command) listed() []Command {
	if cmd.whole {
		return nil
	}
	return cmd.Subs
}

// total returns the statistics of a command, with those of the subcommands that are no commands of their own.
func (cmd *Command) total() commandStats {
	sum := cmd.stats
	if cmd.whole {
		for i := range cmd.Subs {
			s := &cmd.Subs[i].stats
			sum.calls, sum.rejected, sum.failed, sum.micros = sum.calls+s.calls, sum.rejected+s.rejected, sum.failed+s.failed, sum.micros+s.micros
		}
	}
	return sum
}

// Before returns how a line was before a release, in words: "arity=3", "acl=admin,dangerous", and "+random" and "-stale" for flags, as COMMAND
// names them. It panics if it does not know a word.
func Before(version, words string) Was {
	return Was{version, func(cmd *Command) {
		for word := range strings.FieldsSeq(words) {
			cmd.edit(word)
		}
	}}
}

// edit applies a word of Before.
func (cmd *Command) edit(word string) {
	name, value, _ := strings.Cut(word, "=")
	switch {
	case name == "arity":
		cmd.Arity, _ = strconv.Atoi(value)
	case name == "acl":
		cmd.ACL = strings.ReplaceAll(value, ",", " ")
	case name[0] == '+':
		cmd.Flags |= flagNamed(name[1:])
	case name[0] == '-':
		cmd.Flags &^= flagNamed(name[1:])
	default:
		panic(fmt.Sprintf("engine: %q says nothing about a command's line", word))
	}
}

// joinsWords is since when what follows a closing quote belongs to the word.
var joinsWords = release.From("valkey:9.1.0")

// Words is [resp.Words] as the engine's release reads a line.
func (e *Engine) Words(line []byte, words [][]byte) (_ [][]byte, ok bool) {
	if e.Release.Has(joinsWords) {
		return resp.JoinedWords(line, words)
	}
	return resp.Words(line, words)
}
