package command

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/release"
)

// Command is a line as a table's release has it, with its place in the table.
type Command struct {
	Line
	ID     int // in the order of joining, subcommands too, from 0
	Parent *Command
	Subs   []*Command // in the order of the line

	group    string
	module   string
	category string    // the ACL category of its module; "" if that has none in the release
	full     string    // container|sub
	short    shortName // by which clients call it; of length 0 if that is too long
	subs     map[string]*Command
	whole    bool     // its subcommands are no commands of their own: see whole.go
	absent   []string // words of the syntax that the release does not know
}

// FullName returns the name as COMMAND gives it, container|sub for a subcommand.
func (c *Command) FullName() string { return c.full }

// Group returns the family's group as COMMAND DOCS names it.
func (c *Command) Group() string { return c.group }

// Module returns the module that has the command in Redis; "" if it needs none.
func (c *Command) Module() string { return c.module }

// IsSub reports whether the command is a subcommand.
func (c *Command) IsSub() bool { return c.Parent != nil }

// IsWhole reports whether the subcommands of the command are no commands of their own, as before
// Redis 7.0.
func (c *Command) IsWhole() bool { return c.whole }

// Is reports whether the command is another one, or a subcommand of it.
func (c *Command) Is(other *Command) bool { return c == other || c.Parent == other }

// Sub returns the subcommand with a name, without regard to case; nil if there is none.
func (c *Command) Sub(name []byte) *Command { return lookup(c.subs, name) }

// Listed returns the subcommands that are commands of their own.
func (c *Command) Listed() []*Command {
	if c.whole {
		return nil
	}
	return c.Subs
}

// Lacks reports whether an upper-case word of the syntax came later than the release.
func (c *Command) Lacks(word string) bool { return c.absent != nil && slices.Contains(c.absent, word) }

// HasKeys reports whether arguments of the command are keys, or decide about the slot as keys do.
func (c *Command) HasKeys() bool { return len(c.Keys.Specs) > 0 }

// Fits reports whether the command takes n arguments, its name included.
func (c *Command) Fits(n int) bool {
	if c.Arity < 0 {
		return n >= -c.Arity
	}
	return n == c.Arity
}

// Least returns how many arguments the command takes at least, its name included.
func (c *Command) Least() int { return max(c.Arity, -c.Arity) }

// FlagsWith returns the flags that count for a command's arguments: those of the line if their
// number is wrong. What a world knows may change them further: see engine.World.FlagsWith.
func (c *Command) FlagsWith(args [][]byte) Flags {
	if c.Vary != nil && c.Fits(len(args)) {
		return c.Vary(args)
	}
	return c.Flags
}

// OnlyLook reports whether a call with the flags changes nothing beyond its session: neither data,
// settings, users, logs nor other clients.
func (f Flags) OnlyLook() bool {
	return f&Harmless != 0 || f&(ReadOnly|Write) == ReadOnly
}

// RunsScripts reports whether errors of the command may come from a script.
func (c *Command) RunsScripts() bool { return c.Flags&(MayBeSlow|RunsTx) == MayBeSlow }

// Meanings returns what the words behind the command's name are: see the function Meanings.
func (c *Command) Meanings(words []string) []*Argument { return Meanings(parse(c.Syntax), words) }

// MayExpire reports whether a word of the syntax lets a call give a key or an element a deadline,
// beside those whose first arguments do.
func (c *Command) MayExpire() bool {
	values := make(map[string]*Argument)
	addValues(values, parse(c.Syntax))
	for _, a := range values {
		if a.IsDeadline() {
			return true
		}
	}
	return false
}

// IsRandom reports whether the command replies differently to the same question: by its flag, or by
// the tip that stands for it.
func (c *Command) IsRandom() bool { return c.Flags&Random != 0 || c.hasTip("nondeterministic_output") }

func (c *Command) hasTip(tip string) bool { return slices.Contains(strings.Fields(c.Tips), tip) }

// Usage returns the arguments as HELP shows them.
func (c *Command) Usage() string { return Usages(parse(c.Syntax)) }

// WordSince returns when a word of the command's syntax came, in the notation of package release.
// later is false if a release has the word, or if the syntax does not know it.
func (c *Command) WordSince(r *release.Release, word string) (since string, later bool) {
	if !strings.Contains(c.Syntax, "@") {
		return "", false
	}
	all := parse(c.Syntax)
	word = strings.ToUpper(word)
	if slices.Contains(wordsOf(offered(r, all)), word) {
		return "", false
	}
	return wordSince(all, word, "")
}

// wordSince looks for a word in arguments that came with since.
func wordSince(list []Argument, word, since string) (found string, ok bool) {
	for _, a := range list {
		came := since
		if a.Since != "" {
			came = a.Since
		}
		if a.Token == word {
			return came, true
		}
		if found, ok = wordSince(a.Parts, word, came); ok {
			return found, true
		}
	}
	return "", false
}

// ArityIn returns the arity that the line has in a release.
func (l *Line) ArityIn(r *release.Release) int {
	if r.Open || !strings.Contains(l.Syntax, "@") {
		return l.Arity
	}
	if _, more := LeastOf(offered(r, parse(l.Syntax))); !more {
		return max(l.Arity, -l.Arity)
	}
	return l.Arity
}

// Help returns what HELP shows of a subcommand, or of a command without any. A blank line in the
// text ends what is said of one form of it; the next line is the usage of another.
func (t *Table) Help(c *Command) (lines []string) {
	usage, about, told := strings.Cut(c.Help, "\n")
	if usage == "" {
		usage = Usages(t.Arguments(c.Syntax))
	}
	if !told {
		about = c.Summary
	}
	lines = append(lines, strings.TrimSpace(strings.ToUpper(c.Name)+" "+usage))
	indent := HelpIndent
	for line := range strings.SplitSeq(about, "\n") {
		if line == "" {
			indent = ""
			continue
		}
		lines, indent = append(lines, indent+line), HelpIndent
	}
	return lines
}

// HelpIndent stands before the lines of HELP that say what a subcommand does.
const HelpIndent = "    "
