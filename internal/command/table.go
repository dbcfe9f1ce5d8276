package command

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Table is the commands of a release. It is made at the start, family by family, and does not
// change while commands run.
type Table struct {
	Release *release.Release

	ordered []*Command          // by their original names
	index   index               // those with short names
	long    map[string]*Command // the others, by their names
	renamed map[string]*Command // by their original names; nil without renamed commands
	count   int                 // commands and subcommands so far

	categories []string // of ACL

	absent   []Absence       // what the families lack, in all releases
	wordings map[error]Error // errors that read otherwise in the release; nil if there are none
	flags    []flagName      // what the release calls flags
	shown    Flags           // those that it has names for
}

// NewTable returns the empty table of a release.
func NewTable(r *release.Release) *Table {
	t := &Table{Release: r, ordered: make([]*Command, 0, 512), index: newIndex(),
		long: make(map[string]*Command), categories: slices.Clip(categoryOrder)}
	t.flags, t.shown = flagNamesOf(r)
	return t
}

// Add puts the lines of a family into the table that its release has, and returns the commands. It
// panics if a name is there already.
func (t *Table) Add(f Family) (added []*Command) {
	t.reword(f.Wordings)
	t.absent = append(t.absent, f.Absent...)
	for _, c := range t.commandsOf(f) {
		if t.Find([]byte(c.Name)) != nil {
			panic(fmt.Sprintf("command: %q is declared twice", c.Name))
		}
		t.put(c.Name, c)
		t.categorize(c)
		added = append(append(added, c), c.Subs...)
	}
	t.count += len(added)
	return added
}

// made are the commands of families as releases have them. Tables of the same families in the same
// order have the same commands, which never change: a program with many servers makes them once.
var made = struct {
	sync.Mutex
	lists map[place][]*Command
}{lists: make(map[place][]*Command)}

// place is where the lines of a family are in the table of a release.
type place struct {
	release release.Release
	lines   *Line
	group   string
	first   int // the first ID
}

// mostMade bounds made, for families that are no variables of their packages.
const mostMade = 1000

// commandsOf returns the commands of a family, without subcommands.
func (t *Table) commandsOf(f Family) []*Command {
	if len(f.Commands) == 0 {
		return nil
	}
	made.Lock()
	defer made.Unlock()
	at := place{*t.Release, &f.Commands[0], f.Group, t.count}
	list, found := made.lists[at]
	if found {
		return list
	}
	list = t.offered(f.Commands)
	next := t.count
	for _, c := range list {
		next = t.register(c, f, nil, next)
	}
	if len(made.lists) < mostMade {
		made.lists[at] = list
	}
	return list
}

// offered returns the lines that the release has, as it has them.
func (t *Table) offered(lines []Line) []*Command {
	var list []*Command
	for _, line := range lines {
		if !t.Release.Offers(release.From(line.Since)) || line.Until != "" && t.Release.Has(release.From(line.Until)) {
			continue
		}
		c := &Command{Line: line}
		t.withoutLater(c)
		for _, was := range line.Was {
			if !t.Release.Has(release.From(was.Before)) {
				was.Edit(&c.Line)
			}
		}
		t.withEdited(c)
		list = append(list, c)
	}
	return list
}

// withoutLater takes from a command the words and arguments that its syntax has and the release
// does not.
func (t *Table) withoutLater(c *Command) {
	if t.Release.Open || !strings.Contains(c.Syntax, "@") {
		return
	}
	all := parse(c.Syntax)
	c.absent = except(wordsOf(all), wordsOf(offered(t.Release, all)))
	c.Arity = c.ArityIn(t.Release)
}

// withEdited gives a command back the words that its syntax has in the release after the edits.
func (t *Table) withEdited(c *Command) {
	if len(c.absent) > 0 {
		c.absent = except(c.absent, wordsOf(t.Arguments(c.Syntax)))
	}
}

// except returns words without others.
func except(words, others []string) []string {
	return slices.DeleteFunc(words, func(word string) bool { return slices.Contains(others, word) })
}

// register completes a command, and its subcommands. It takes the next ID and returns that behind
// them.
func (t *Table) register(c *Command, f Family, parent *Command, id int) (next int) {
	c.ID = id
	id++
	c.group, c.module, c.Parent, c.full = f.Group, f.Module, parent, c.Name
	c.category = t.categoryOf(f)
	c.short = shortNameOf([]byte(c.Name))
	c.Keys.least = c.Least()
	if parent != nil {
		c.full = parent.Name + "|" + c.Name
	}
	if f.Capitals {
		c.full = strings.ToUpper(c.full)
	}
	if f.Module != "" {
		c.Flags |= OfModule
	}
	if c.Keys.movable() {
		c.Flags |= MovableKeys
	}
	if len(c.Line.Subs) == 0 {
		if parent == nil && !t.Release.Has(Splits) {
			c.tipsToFlags()
		}
		c.markOneSlot()
		return id
	}
	c.Subs = t.offered(c.Line.Subs)
	c.subs = make(map[string]*Command, len(c.Subs))
	for _, sub := range c.Subs {
		id = t.register(sub, f, c, id)
		c.subs[sub.Name] = sub
	}
	if !t.Release.Has(Splits) {
		c.join(t.shown)
	}
	c.markOneSlot()
	return id
}

// markOneSlot gives a command with keys the flag OneSlot. EXEC has the keys of what it runs.
func (c *Command) markOneSlot() {
	if c.Flags&AnySlot == 0 && (c.HasKeys() || c.Flags&RunsTx != 0) {
		c.Flags |= OneSlot
	}
}

func (t *Table) put(name string, c *Command) {
	t.ordered = slices.Insert(t.ordered, t.position(c), c)
	if c.short.length > 0 {
		t.index.add(c)
	} else {
		t.long[name] = c
	}
}

// position returns where a command is in the order, or belongs.
func (t *Table) position(c *Command) int {
	i, _ := slices.BinarySearchFunc(t.ordered, c.Name,
		func(c *Command, name string) int { return strings.Compare(c.Name, name) })
	return i
}

func (t *Table) remove(name string) {
	i := t.position(t.Find([]byte(name)))
	t.ordered = slices.Delete(t.ordered, i, i+1)
	delete(t.long, name)
	t.index = newIndex()
	for _, c := range t.ordered {
		if c.short.length > 0 {
			t.index.add(c)
		}
	}
}

// Rename gives a command another name, or removes it if that is "". ACL rules still use the
// original name. It is for the start, before commands run.
func (t *Table) Rename(from, to string) error {
	c := t.Find([]byte(from))
	if c == nil {
		return ErrRenameUnknown
	}
	t.remove(strings.ToLower(from))
	if to != "" {
		if t.Find([]byte(to)) != nil {
			return ErrRenameTaken
		}
		to = strings.ToLower(to)
		c = c.called(to)
		t.put(to, c)
	}
	if t.renamed == nil {
		t.renamed = make(map[string]*Command)
	}
	t.renamed[strings.ToLower(c.Name)] = c
	return nil
}

// called returns the command under another name, by which clients call it.
func (c *Command) called(name string) *Command {
	other := *c
	other.short = shortNameOf([]byte(name))
	other.Subs, other.subs = nil, nil
	for _, sub := range c.Subs {
		s := *sub
		s.Parent = &other
		other.Subs = append(other.Subs, &s)
		if other.subs == nil {
			other.subs = make(map[string]*Command, len(c.Subs))
		}
		other.subs[s.Name] = &s
	}
	return &other
}

// Len returns the number of commands, without subcommands.
func (t *Table) Len() int { return len(t.ordered) }

// All returns the commands, without subcommands, ordered by their original names. The caller must
// not change the slice.
func (t *Table) All() []*Command { return t.ordered }

// InCategory returns the commands of a category and their subcommands, or all of them.
func (t *Table) InCategory(name string) (list []*Command) {
	for _, cmd := range t.All() {
		for _, c := range append([]*Command{cmd}, cmd.Subs...) {
			if name == "all" || slices.Contains(c.Categories(), "@"+name) {
				list = append(list, c)
			}
		}
	}
	return list
}

// Each calls f for all commands and all subcommands that are commands of their own, ordered by
// name.
func (t *Table) Each(f func(c *Command)) {
	for _, c := range t.ordered {
		f(c)
		for _, sub := range c.Listed() {
			f(sub)
		}
	}
}

// Find finds a command by its name without regard to case; nil if there is none.
func (t *Table) Find(name []byte) *Command {
	if short := shortNameOf(name); short.length > 0 {
		return t.index.find(short)
	}
	return lookup(t.long, name)
}

// Original returns the command that has, or had before it was renamed, a name such as get or
// config|set; nil if there is none.
func (t *Table) Original(name string) *Command {
	name, sub, nested := strings.Cut(name, "|")
	c := lookup(t.renamed, []byte(name))
	if c == nil {
		c = t.Find([]byte(name))
	}
	if c != nil && nested {
		c = c.Sub([]byte(sub))
	}
	return c
}

// Named returns the command of a name such as get or config|set; nil if there is none, or if it is
// no command of its own.
func (t *Table) Named(name string) *Command {
	name, sub, nested := strings.Cut(strings.ToLower(name), "|")
	c := t.Find([]byte(name))
	if c != nil && nested {
		if c.whole {
			return nil
		}
		return c.subs[sub]
	}
	return c
}

// Resolve returns the command that args name, a subcommand if the first word is a container. It
// returns an error if there is no such command. For a wrong number of arguments it returns both the
// command and an error. Before 7.0 it is the container that refuses a subcommand.
func (t *Table) Resolve(args [][]byte) (*Command, error) {
	c := t.Find(args[0])
	if c == nil {
		return nil, t.unknown(args)
	}
	if c.subs != nil && len(args) > 1 {
		sub := c.Sub(args[1])
		if c.whole && (sub == nil || !sub.Fits(len(args))) {
			return c, nil
		}
		if sub == nil {
			return nil, Errorf(ErrUnknownSub, Clip(args[1], 128), strings.ToUpper(c.Name))
		}
		c = sub
	}
	if !c.Fits(len(args)) {
		return c, Errorf(ErrArity, c.full)
	}
	return c, nil
}

// namesUnknownAlone is when an unknown command without arguments got an error that speaks of none.
var namesUnknownAlone = release.From("8.6.0")

// unknown returns the error for an unknown command. As in Redis it shows the first arguments, 128
// bytes of them. A hint of our own comes last, so that clients find Redis' text.
func (t *Table) unknown(args [][]byte) error {
	hint := t.kitHint(args[0]) + t.absenceHint(args[0])
	if len(args) == 1 && hint == "" && t.Release.Has(namesUnknownAlone) {
		return t.Errorf(errUnknownAlone, Clip(args[0], 128))
	}
	var list strings.Builder
	for _, a := range args[1:] {
		if list.Len() >= 128 {
			break
		}
		list.WriteString(t.Errorf(ErrUnknownArg, Clip(a, 128-list.Len())).Error())
	}
	return t.Errorf(ErrUnknownCommand, Clip(args[0], 128), list.String()+hint)
}

// Absent returns what the release has and this server lacks; Since is the release then, in words.
func (t *Table) Absent() (list []Absence) {
	for _, a := range t.absent {
		if since := release.From(a.Since); t.Release.Shows(since) {
			a.Since = t.Release.Named(since.In(t.Release))
			list = append(list, a)
		}
	}
	return list
}

// absenceHint says which release has the command that this server lacks, and what to use instead.
// There is none for a name that the table's release does not know either.
func (t *Table) absenceHint(name []byte) string {
	lower := strings.ToLower(string(name))
	for _, a := range t.Absent() {
		if slices.Contains(strings.Fields(a.Names), lower) {
			hint := "; " + a.Since + " has it, miniserver has not"
			if a.Instead != "" {
				hint += ": use " + a.Instead
			}
			return hint
		}
	}
	return ""
}

// kitHint says how to start a server with the command if it is one of the test kit, which this
// server lacks. No command of Redis has such a name.
func (t *Table) kitHint(name []byte) string {
	const prefix, one = "mini.", "mini.clock"
	if len(name) < len(prefix) || !strings.EqualFold(string(name[:len(prefix)]), prefix) || t.Find([]byte(one)) != nil {
		return ""
	}
	return "; the commands MINI.* exist if the server is started with --test-kit yes"
}

// Arguments returns the arguments of a syntax that the release has.
func (t *Table) Arguments(syntax string) []Argument { return offered(t.Release, parse(syntax)) }

// FlagWords returns what the release calls flags.
func (t *Table) FlagWords(f Flags) (names []string) {
	for _, n := range t.flags {
		if f&n.flag != 0 {
			names = append(names, n.name)
		}
	}
	return names
}

// reword takes over the wordings that the release has.
func (t *Table) reword(wordings []Wording) {
	for _, w := range wordings {
		if !w.counts(t.Release) {
			continue
		}
		if t.wordings == nil {
			t.wordings = make(map[error]Error)
		}
		t.wordings[w.Error] = w.Was
	}
}

// Worded returns an error as the release words it.
func (t *Table) Worded(err error) error {
	if was, found := t.wordings[err]; found {
		return was
	}
	return err
}

// Errorf is the function Errorf with the format that the release has. A format without a verb
// ignores the arguments.
func (t *Table) Errorf(format Error, args ...any) error {
	err := t.Worded(format)
	if text := err.Error(); strings.Contains(text, "%") {
		return Errorf(text, args...)
	}
	return err
}

// maxName exceeds the length of every command's name, so that lookup can fold the name on the
// stack.
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

// joinsWords is since when what follows a closing quote belongs to the word.
var joinsWords = release.From("valkey:9.1.0")

// Words is [resp.Words] as the release reads a line.
func (t *Table) Words(line []byte, words [][]byte) (_ [][]byte, ok bool) {
	if t.Release.Has(joinsWords) {
		return resp.JoinedWords(line, words)
	}
	return resp.Words(line, words)
}
