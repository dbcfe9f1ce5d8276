package testkit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// What a test run used. The kit puts a function around the handler of every command, which counts
// its calls and the options that they had; so a server without the kit runs none of this. Calls of
// scripts and transactions count, commands that were refused do not.
//
// Options are found by the words of a command's syntax, behind the arguments that every call has. A
// value there that reads like an option counts as one.

// optionWord finds the words that are typed as they stand in a syntax.
var optionWord = regexp.MustCompile(`(?:^|[ |<\[=])([A-Z][A-Z0-9-]*)`)

// maxScanned bounds the arguments among which options are looked for.
const maxScanned = 64

func commandsLines() []command.Line {
	return []command.Line{{Name: "mini.commands", Arity: -1, Flags: flags,
		Run: engine.On((*Kit).cmdCommands), Reply: "RESET: status; array", Since: since, Syntax: "[RESET]",
		Summary:    "Returns which commands and options were used, and how often.",
		Complexity: "O(N), N being the number of commands"}}
}

// MINI.COMMANDS [RESET]
//
// Replies: a line for each command that was called: its name, the number of calls, and that of each
// option, as in "set 3 NX=1 PX=2". RESET begins anew, and replies with OK.
func (k *Kit) cmdCommands(c *engine.Call) {
	reset := c.Word("RESET")
	if c.End(); !c.OK() {
		return
	}
	if reset {
		clear(k.usages)
		c.Reply.Status("OK")
		return
	}
	var lines []string
	for _, u := range k.usages {
		if u != nil {
			lines = append(lines, u.String())
		}
	}
	replyLines(c, lines)
}

func replyLines(c *engine.Call, lines []string) {
	c.Reply.Array(len(lines))
	for _, line := range lines {
		c.Reply.Status(line)
	}
}

func (u *usage) String() string {
	text := fmt.Sprintf("%s %d", u.name, u.calls)
	for i, n := range u.counts {
		if n > 0 {
			text += fmt.Sprintf(" %s=%d", u.words[i], n)
		}
	}
	return text
}

// Watch begins to count what is used, of all commands that have joined so far. It is called once.
func (k *Kit) Watch() {
	for _, cmd := range k.engine.Commands.All() {
		k.watch(cmd, 1)
		for _, sub := range cmd.Subs {
			k.watch(sub, 2)
		}
	}
}

// watch counts the calls of a command whose name has so many words.
func (k *Kit) watch(cmd *command.Command, words int) {
	run := k.engine.Handler(cmd)
	if run == nil || cmd.Group() == group {
		return
	}
	at := len(k.usages)
	k.usages = append(k.usages, nil)
	k.engine.Handle(cmd, func(c *engine.Call) {
		if c.Woken() {
			run(c)
			return
		}
		if k.usages[at] == nil {
			k.usages[at] = newUsage(cmd, words)
		}
		created := k.usages[at].count(c.Args)
		if run(c); created && c.Dirty() {
			noteLock(c)
		}
	})
}

// newUsage returns that of a command whose name has so many words. The first call makes it, so that
// an engine is made quickly.
func newUsage(cmd *command.Command, words int) *usage {
	u := &usage{name: strings.ReplaceAll(cmd.FullName(), "|", " "), text: cmd.Group() == "string",
		first: words + mandatory(cmd.Syntax)}
	u.creates = u.text && strings.HasSuffix(cmd.Name, "setnx")
	for _, m := range optionWord.FindAllStringSubmatch(cmd.Syntax, -1) {
		if !slices.Contains(u.words, m[1]) {
			u.words = append(u.words, m[1])
		}
	}
	u.counts = make([]int64, len(u.words))
	return u
}

// mandatory returns the number of arguments with which every call begins, by a syntax.
func mandatory(syntax string) (n int) {
	for _, word := range strings.Fields(syntax) {
		if strings.ContainsAny(word, "[<|=") || strings.HasSuffix(word, "...") || strings.ToLower(word) != word {
			break
		}
		n++
	}
	return n
}

// count counts a call. It reports whether the call sets a string only if there is none.
func (u *usage) count(args [][]byte) (creates bool) {
	u.calls++
	creates = u.creates
	if len(u.words) == 0 || len(args) <= u.first {
		return creates
	}
	for _, arg := range args[u.first:min(len(args), u.first+maxScanned)] {
		for i, word := range u.words {
			if len(arg) == len(word) && command.IsWord(arg, word) {
				u.counts[i]++
				creates = creates || word == "NX" && u.text
			}
		}
	}
	return creates
}
