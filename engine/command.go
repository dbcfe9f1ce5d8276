package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/release"
)

// Handler executes a command: it parses, checks, changes and replies. It replies with an error before it
// changes anything.
type Handler func(c *Call)

// Command is one line of a family's table.
type Command struct {
	Name    string // lower case; of a subcommand the last word only
	Arity   int    // arguments including the name; negative for at least
	Flags   Flags
	Keys    Keys
	Run     Handler
	Subs    []Command
	Since   string // what introduced it, in the notation of package release; older releases lack it
	Until   string // what removed it, in the same notation; "" if nothing did
	Syntax  string // the arguments, in the notation of syntax.go, for COMMAND DOCS and HELP
	Summary string // one line, for COMMAND DOCS and HELP
	Help    string // what HELP shows instead of the syntax, and after a line break instead of the summary
	ACL     string // ACL categories beside those of its flags and its group, separated by blanks; "-name" takes one away
	Tips    string // hints for clients of clusters, separated by blanks

	// Complexity is the time that it takes, for COMMAND DOCS.
	Complexity string

	// History is what changed since the command was there, for COMMAND DOCS: a line for each change, of the release, in the
	// notation of package release with commas for blanks, and a sentence; 7.2.0@8.0.0 if only 8.0 tells it. Deprecated is the release that deprecated the
	// command, and what to use instead: "6.2.0 `LMOVE`".
	History, Deprecated string

	// Was is how the line was in older releases, the newest first.
	Was []Was

	// Vary returns the flags that count for these arguments, where what the command does depends on
	// them; nil if it does not. It gets as many arguments as the command takes. Only the gate asks, and only for what Write, ReadOnly,
	// DenyOOM, MayReplicate and Harmless say.
	Vary func(args [][]byte) Flags

	// Secrets finds the arguments that must not be shown, such as passwords; nil if there are none.
	Secrets Secrets

	group  string
	parent *Command
	id     int       // in the order of joining, subcommands too; ACL rules refer to it
	full   string    // container|sub
	short  shortName // by which clients call it; of length 0 if that is too long
	subs   map[string]*Command
	whole  bool     // its subcommands are no commands of their own: see wholes.go
	absent []string // words of the syntax that the release does not know: see Call.Word
	stats  commandStats
}

// Was is how a command's line was before a release, in the notation of package release: edit makes the line that
// older releases have of the one that the release has.
type Was struct {
	Before string
	Edit   func(cmd *Command)
}

// Advises returns an edit that has other tips.
func Advises(tips string) func(cmd *Command) { return func(cmd *Command) { cmd.Tips = tips } }

// withoutTips is an edit for commands that had no tips.
var withoutTips = Advises("")

// Helps returns an edit that has another text for a part of what HELP shows.
func Helps(now, was string) func(cmd *Command) {
	return func(cmd *Command) { cmd.Help = replaced(cmd.Name, cmd.Help, now, was) }
}

// replaced returns a text of a command with a part of it replaced. It panics if the part is missing: such texts are constants.
func replaced(name, text, now, was string) string {
	if !strings.Contains(text, now) {
		panic(fmt.Sprintf("engine: the line of %q lacks %q", name, now))
	}
	return strings.ReplaceAll(text, now, was)
}

// Writes returns an edit that has another text for a part of the syntax.
func Writes(now, was string) func(cmd *Command) {
	return func(cmd *Command) { cmd.Syntax = replaced(cmd.Name, cmd.Syntax, now, was) }
}

// HasKeys returns an edit that has other keys.
func HasKeys(keys Keys) func(cmd *Command) { return func(cmd *Command) { cmd.Keys = keys } }

// FindsKeys returns an edit that finds the keys by another function.
func FindsKeys(find func(args [][]byte) (at []int, ok bool)) func(cmd *Command) {
	return func(cmd *Command) { cmd.Keys = cmd.Keys.FoundBy(find) }
}

type commandStats struct {
	calls, rejected, failed, micros int64
	latency                         histogram
}

// FullName returns the name as COMMAND gives it, container|sub for a subcommand.
func (cmd *Command) FullName() string { return cmd.full }

// Is reports whether the command is another one, or a subcommand of it.
func (cmd *Command) Is(other *Command) bool { return cmd == other || cmd.parent == other }

// HasKeys reports whether arguments of the command are keys, or decide about the slot as keys do.
func (cmd *Command) HasKeys() bool { return len(cmd.Keys.specs) > 0 }

// IsSub reports whether the command is a subcommand.
func (cmd *Command) IsSub() bool { return cmd.parent != nil }

// Group returns the family's group as COMMAND DOCS names it.
func (cmd *Command) Group() string { return cmd.group }

// Fits reports whether the command takes n arguments, its name included.
func (cmd *Command) Fits(n int) bool {
	if cmd.Arity < 0 {
		return n >= -cmd.Arity
	}
	return n == cmd.Arity
}

// FlagsWith returns the flags that count for a command's arguments: those of the line if their number is wrong.
func (cmd *Command) FlagsWith(args [][]byte) Flags {
	if cmd.Vary != nil && cmd.Fits(len(args)) {
		return cmd.Vary(args)
	}
	return cmd.Flags
}

// onlyLooks reports whether a command changes nothing beyond its session: neither data, settings, users, logs nor other clients.
func (cmd *Command) onlyLooks(args [][]byte) bool {
	f := cmd.FlagsWith(args)
	return f&Harmless != 0 || f&(ReadOnly|Write) == ReadOnly
}

// Family is the commands of one kind, with their group as COMMAND DOCS names it.
type Family struct {
	Group    string
	Commands []Command
	Wordings []Wording // errors that read otherwise in older releases, the newest first
}

// commandTable is all commands.
type commandTable struct {
	byName  map[string]*Command
	ordered []*Command          // the same, by their original names
	index   commandIndex        // the same for short names
	renamed map[string]*Command // by their original names; nil without renamed commands
	count   int                 // commands and subcommands so far

	wordings map[error]Error // errors that read otherwise in the release; nil if there are none
	flags    []flagName      // what the release calls flags
	shown    Flags           // those that it has names for
}

// addFamily puts a family's lines into the table.
func (e *Engine) addFamily(f Family) {
	f.Commands = e.offered(f.Commands)
	e.reword(f.Wordings)
	for i := range f.Commands {
		cmd := &f.Commands[i]
		if _, dup := e.commands.byName[cmd.Name]; dup {
			panic(fmt.Sprintf("engine: command %q is declared twice", cmd.Name))
		}
		e.register(cmd, f.Group, nil)
		e.commands.add(cmd.Name, cmd)
	}
}

func (t *commandTable) add(name string, cmd *Command) {
	t.byName[name] = cmd
	t.ordered = slices.Insert(t.ordered, t.place(cmd), cmd)
	t.addShort(name, cmd)
}

// place returns where a command is in the order, or belongs.
func (t *commandTable) place(cmd *Command) int {
	i, _ := slices.BinarySearchFunc(t.ordered, cmd.Name, func(c *Command, name string) int { return strings.Compare(c.Name, name) })
	return i
}

func (t *commandTable) addShort(name string, cmd *Command) {
	if cmd.short = shortNameOf([]byte(name)); cmd.short.length > 0 {
		t.index.add(cmd)
	}
}

func (t *commandTable) remove(name string) {
	i := t.place(t.byName[name])
	t.ordered = slices.Delete(t.ordered, i, i+1)
	delete(t.byName, name)
	t.index = commandIndex{}
	for name, cmd := range t.byName {
		t.addShort(name, cmd)
	}
}

// find finds a command by its name without regard to case; nil if there is none.
func (t *commandTable) find(name []byte) *Command {
	if short := shortNameOf(name); short.length > 0 {
		return t.index.find(short)
	}
	return lookup(t.byName, name)
}

// offered returns the lines that the engine's release has, as it has them.
func (e *Engine) offered(lines []Command) []Command {
	lines = slices.DeleteFunc(lines, func(cmd Command) bool {
		return !e.Release.Offers(release.From(cmd.Since)) || cmd.Until != "" && e.Release.Has(release.From(cmd.Until))
	})
	for i := range lines {
		e.withoutLater(&lines[i])
		for _, was := range lines[i].Was {
			if !e.Release.Has(release.From(was.Before)) {
				was.Edit(&lines[i])
			}
		}
		e.withEdited(&lines[i])
	}
	return lines
}

// reword takes over the wordings that the engine's release has.
func (e *Engine) reword(wordings []Wording) {
	for _, w := range wordings {
		if !w.counts(e.Release) {
			continue
		}
		if e.commands.wordings == nil {
			e.commands.wordings = make(map[error]Error)
		}
		e.commands.wordings[w.Error] = w.Was
	}
}

// Worded returns an error as the engine's release words it.
func (e *Engine) Worded(err error) error {
	if was, found := e.commands.wordings[err]; found {
		return was
	}
	return err
}

// Errorf is the function Errorf with the format that the engine's release has. A format without a verb ignores the arguments.
func (e *Engine) Errorf(format Error, args ...any) error {
	err := e.Worded(format)
	if text := err.Error(); strings.Contains(text, "%") {
		return Errorf(text, args...)
	}
	return err
}

func (e *Engine) register(cmd *Command, group string, parent *Command) {
	cmd.id = e.commands.count
	e.commands.count++
	cmd.group, cmd.parent, cmd.full = group, parent, cmd.Name
	cmd.Keys.least = max(cmd.Arity, -cmd.Arity)
	if parent != nil {
		cmd.full = parent.Name + "|" + cmd.Name
	}
	if cmd.Keys.movable() {
		cmd.Flags |= MovableKeys
	}
	if len(cmd.Subs) == 0 {
		if parent == nil && !e.Release.Has(splits) {
			cmd.tipsToFlags()
		}
		return
	}
	cmd.Subs = e.offered(cmd.Subs)
	cmd.subs = make(map[string]*Command, len(cmd.Subs))
	for i := range cmd.Subs {
		sub := &cmd.Subs[i]
		e.register(sub, group, cmd)
		cmd.subs[sub.Name] = sub
	}
	if !e.Release.Has(splits) {
		cmd.join(e.commands.shown)
	}
}

// Rename gives a command another name, or removes it if that is "". ACL rules still use the original name.
// It is for the start, before commands run.
func (e *Engine) Rename(from, to string) error {
	cmd := e.commands.find([]byte(from))
	if cmd == nil {
		return ErrRenameUnknown
	}
	e.commands.remove(strings.ToLower(from))
	if to != "" {
		if e.commands.find([]byte(to)) != nil {
			return ErrRenameTaken
		}
		e.commands.add(strings.ToLower(to), cmd)
	}
	if e.commands.renamed == nil {
		e.commands.renamed = make(map[string]*Command)
	}
	e.commands.renamed[strings.ToLower(cmd.Name)] = cmd
	return nil
}

// Commands returns all top-level commands, ordered by their original names. The caller must not change the slice.
func (e *Engine) Commands() []*Command { return e.commands.ordered }

// Resolve returns the command that args name, a subcommand if the first word is a container. It returns an
// error if there is no such command. For a wrong number of arguments it returns both the command and an
// error. Before 7.0 it is the container that refuses a subcommand.
func (e *Engine) Resolve(args [][]byte) (*Command, error) {
	cmd := e.commands.find(args[0])
	if cmd == nil {
		return nil, e.unknownCommand(args)
	}
	if cmd.subs != nil && len(args) > 1 {
		sub := lookup(cmd.subs, args[1])
		if cmd.whole && (sub == nil || !sub.Fits(len(args))) {
			return cmd, nil
		}
		if sub == nil {
			return nil, Errorf(ErrUnknownSub, clip(args[1], 128), strings.ToUpper(cmd.Name))
		}
		cmd = sub
	}
	if !cmd.Fits(len(args)) {
		return cmd, Errorf(ErrArity, cmd.full)
	}
	return cmd, nil
}

// namesUnknownAlone is when an unknown command without arguments got an error that speaks of none.
var namesUnknownAlone = release.From("8.6.0")

// unknownCommand returns the error for an unknown command. As in Redis it shows the first arguments, 128
// bytes of them.
func (e *Engine) unknownCommand(args [][]byte) error {
	if len(args) == 1 && e.Release.Has(namesUnknownAlone) {
		return e.Errorf(errUnknownAlone, clip(args[0], 128))
	}
	var list strings.Builder
	for _, a := range args[1:] {
		if list.Len() >= 128 {
			break
		}
		list.WriteString(e.Errorf(ErrUnknownArg, clip(a, 128-list.Len())).Error())
	}
	return e.Errorf(ErrUnknownCommand, clip(args[0], 128), list.String()+e.kitHint(args[0]))
}

// kitHint says how to start a server with the command if it is one of the test kit, which this server lacks. No command of Redis has such a name.
func (e *Engine) kitHint(name []byte) string {
	const prefix, one = "mini.", "mini.clock"
	if len(name) < len(prefix) || !strings.EqualFold(string(name[:len(prefix)]), prefix) || e.commands.find([]byte(one)) != nil {
		return ""
	}
	return "; the commands MINI.* exist if the server is started with --test-kit yes"
}

// maxName exceeds the length of every command's name, so that lookup can fold the name on the stack.
const maxName = 64

// lookup finds a name in a table without regard to case.
func lookup(table map[string]*Command, name []byte) *Command {
	if len(name) > maxName {
		return nil
	}
	var folded [maxName]byte
	for i, ch := range name {
		if 'A' <= ch && ch <= 'Z' {
			ch += 'a' - 'A'
		}
		folded[i] = ch
	}
	return table[string(folded[:len(name)])]
}

// runsScripts reports whether the errors of a command may come from a script.
func (cmd *Command) runsScripts() bool { return cmd.Flags&(MayBeSlow|RunsTx) == MayBeSlow }
