// Package command is what a command is: the facts on its line, and the table in which it is found.
// It runs nothing and holds no data. So the linter, completion, HELP and tests can look commands up
// without a server.
//
//	Line      what the table of a family says of a command. It never changes.
//	Family    lines of one group, and errors that read otherwise in older releases
//	Table     the commands that one release has, as it has them
//	Command   a line in a table, with its place there
//	Keys      where the keys are among the arguments
//	Flags     what the command does and where it may run
//
// A fact about a command belongs on its line, and not in a table of names elsewhere.
package command

import (
	"fmt"
	"strconv"
	"strings"
)

// Line is a line of a family's table: one command, or a container of subcommands.
type Line struct {
	Name    string // lower case; of a subcommand the last word only
	Arity   int    // arguments including the name; negative for at least
	Flags   Flags
	Keys    Keys
	Run     any   // what runs it, a func(*engine.Call) or an engine.Method; nil for a container
	Reply   Reply // what it replies with
	Subs    []Line
	Since   string // what introduced it, in the notation of package release; older releases lack it
	Until   string // what removed it, in the same notation; "" if nothing did
	Syntax  string // the arguments, in the notation of syntax.go, for COMMAND DOCS and HELP
	Summary string // one line, for COMMAND DOCS and HELP
	// Help is what HELP shows instead of the syntax, and after a line break instead of the summary;
	// "-" if HELP does not show the subcommand.
	Help string
	// ACL categories beside those of its flags and its group, separated by blanks; "-name" takes
	// one away
	ACL  string
	Tips string // hints for clients of clusters, separated by blanks

	// Complexity is the time that it takes, for COMMAND DOCS.
	Complexity string

	// History is what changed since the command was there, for COMMAND DOCS: a line for each
	// change, of the release, in the notation of package release with commas for blanks, and a
	// sentence; 7.2.0@8.0.0 if only 8.0 tells it. Deprecated is the release that deprecated the
	// command, and what to use instead: "6.2.0 `LMOVE`".
	History, Deprecated string

	// Was is how the line was in older releases, the newest first.
	Was []Was

	// Vary returns the flags that count for these arguments, where what the command does depends on
	// them; nil if it does not. It gets as many arguments as the command takes. Only the gate asks,
	// and only for what Write, ReadOnly, DenyOOM, MayReplicate and Harmless say.
	Vary func(args [][]byte) Flags

	// Databases finds the arguments that name databases, which a command without keys uses in place
	// of the selected one; nil if there are none. The arguments may be malformed.
	Databases func(args [][]byte) (at []int)

	// Secrets finds the arguments that must not be shown, such as passwords; nil if there are none.
	Secrets Secrets
}

// Family is the commands of one kind, with their group as COMMAND DOCS names it.
type Family struct {
	Group    string
	Module   string // which has them in Redis, as MODULE LIST names it; "" if they need none
	Category string // the ACL category that the module has, such as "json"; "" if it has none
	Capitals bool   // Redis shows the names in capitals
	Commands []Line
	Absent   []Absence // what the kind has in Redis, and this server lacks
	Wordings []Wording // errors that read otherwise in older releases, the newest first
}

// Absence is commands that releases have and this server lacks. The error for an unknown command
// tells of them, and so does docs/absent.md.
type Absence struct {
	Since   string // what introduced them, in the notation of package release
	Names   string // in lower case, separated by blanks
	Instead string // the command to use instead, or ""
	Why     string // for the page: what they are for, or why they are not here
}

// Was is how a command's line was before a release, in the notation of package release: edit makes
// the line that older releases have of the one that the release has.
type Was struct {
	Before string
	Edit   func(line *Line)
}

// Before returns how a line was before a release, in words: "arity=3", "acl=admin,dangerous", and
// "+random" and "-stale" for flags, as COMMAND names them. It panics if it does not know a word.
func Before(version, words string) Was {
	return Was{version, func(line *Line) {
		for word := range strings.FieldsSeq(words) {
			line.edit(word)
		}
	}}
}

// edit applies a word of Before.
func (l *Line) edit(word string) {
	name, value, _ := strings.Cut(word, "=")
	switch {
	case name == "arity":
		l.Arity, _ = strconv.Atoi(value)
	case name == "acl":
		l.ACL = strings.ReplaceAll(value, ",", " ")
	case name[0] == '+':
		l.Flags |= flagNamed(name[1:])
	case name[0] == '-':
		l.Flags &^= flagNamed(name[1:])
	default:
		panic(fmt.Sprintf("command: %q says nothing about a line", word))
	}
}

// Advises returns an edit that has other tips.
func Advises(tips string) func(line *Line) { return func(line *Line) { line.Tips = tips } }

// Helps returns an edit that has another text for a part of what HELP shows.
func Helps(now, was string) func(line *Line) {
	return func(line *Line) { line.Help = replaced(line.Name, line.Help, now, was) }
}

// Writes returns an edit that has another text for a part of the syntax.
func Writes(now, was string) func(line *Line) {
	return func(line *Line) { line.Syntax = replaced(line.Name, line.Syntax, now, was) }
}

// HasKeys returns an edit that has other keys.
func HasKeys(keys Keys) func(line *Line) { return func(line *Line) { line.Keys = keys } }

// FindsKeys returns an edit that finds the keys by another function.
func FindsKeys(find func(args [][]byte) (at []int, ok bool)) func(line *Line) {
	return func(line *Line) { line.Keys = line.Keys.FoundBy(find) }
}

// replaced returns a text of a command with a part of it replaced. It panics if the part is
// missing: such texts are constants.
func replaced(name, text, now, was string) string {
	if !strings.Contains(text, now) {
		panic(fmt.Sprintf("command: the line of %q lacks %q", name, now))
	}
	return strings.ReplaceAll(text, now, was)
}

// Secrets returns the positions of a command's secret arguments, such as passwords. MONITOR and the
// slow log hide them wherever the command runs, in transactions and scripts too. The arguments may
// be malformed, because a command that fails is shown as well; positions beyond the last argument
// are ignored.
type Secrets func(args [][]byte) (at []int)

// SecretsFrom returns the Secrets of a command whose arguments are all secret from a position on.
func SecretsFrom(first int) Secrets {
	return func(args [][]byte) (at []int) {
		for i := first; i < len(args); i++ {
			at = append(at, i)
		}
		return at
	}
}
