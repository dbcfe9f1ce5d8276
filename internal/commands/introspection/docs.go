package introspection

import (
	"cmp"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// COMMAND DOCS [command-name [command-name ...]]
func cmdCommandDocs(c *engine.Call) {
	var list []*command.Command
	if !c.More() {
		list = c.Engine.Commands.All()
	}
	for c.More() {
		if cmd := c.Engine.Commands.Named(string(c.Arg())); cmd != nil {
			list = append(list, cmd)
		}
	}
	c.Reply.Map(len(list))
	for _, cmd := range list {
		replyDocs(c, cmd)
	}
}

// replyDocs writes a command's name and its map of facts, in the order of Redis.
func replyDocs(c *engine.Call, cmd *command.Command) {
	c.Reply.BulkString(cmd.FullName())
	m := openDocs(c)
	m.text("summary", cmd.Summary)
	m.text("since", release.From(cmd.Since).In(c.Engine.Release))
	if cmd.Module() == "" {
		m.text("group", cmd.Group())
	} else {
		m.text("group", "module")
	}
	m.text("complexity", cmd.Complexity)
	m.text("module", cmd.Module())
	deprecated := deprecations(c, cmd)
	m.words("doc_flags", docFlags(deprecated != nil, cmd.Flags))
	for _, d := range deprecated {
		m.text("deprecated_since", d.version)
		m.text("replaced_by", d.text)
	}
	m.history(changes(c, cmd.History, c.Engine.Release.Offers))
	m.arguments(c.Engine.Commands.Arguments(cmd.Syntax), &keyCount{specs: len(cmd.Keys.Specs)})
	if len(cmd.Subs) > 0 {
		m.name("subcommands")
		c.Reply.Map(len(cmd.Subs))
		for _, sub := range cmd.Subs {
			replyDocs(c, sub)
		}
	}
	m.close()
}

func docFlags(deprecated bool, flags command.Flags) (names []string) {
	if deprecated {
		names = append(names, "deprecated")
	}
	if flags&command.Internal != 0 {
		names = append(names, "syscmd")
	}
	return names
}

// deprecatesWords is since when Valkey deprecates only the old words for replicas, those of 5.0,
// and not what another command does as well.
var deprecatesWords = release.From("valkey:9.1.0")

// deprecations returns the release that deprecated the command, with what replaces it; nothing if
// none did.
func deprecations(c *engine.Call, cmd *command.Command) []docChange {
	if c.Has(deprecatesWords) && !strings.HasPrefix(cmd.Deprecated, "5.0.0 ") {
		return nil
	}
	return changes(c, cmd.Deprecated, c.Engine.Release.Shows)
}

// docs writes one map of COMMAND DOCS, which has only the fields that say something.
type docs struct {
	*engine.Call
	at, fields int
}

func openDocs(c *engine.Call) docs { return docs{Call: c, at: c.Reply.Defer()} }

func (m *docs) close() { m.Reply.SetMap(m.at, m.fields) }

func (m *docs) name(name string) {
	m.fields++
	m.Reply.BulkString(name)
}

func (m *docs) text(name, text string) {
	if text != "" {
		m.name(name)
		m.Reply.BulkString(text)
	}
}

func (m *docs) words(name string, words []string) {
	if words != nil {
		m.name(name)
		replyWords(m.Call, words)
	}
}

// docChange is a line of a command's history.
type docChange struct{ version, text string }

// changes returns the lines of a history with releases that has accepts.
func changes(c *engine.Call, history string, has func(release.Since) bool) (known []docChange) {
	for line := range strings.Lines(history) {
		versions, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions, told, _ := strings.Cut(strings.ReplaceAll(versions, ",", " "), "@")
		since := release.From(versions)
		if has(release.From(cmp.Or(told, versions))) {
			known = append(known, docChange{since.In(c.Engine.Release), text})
		}
	}
	return known
}

func (m *docs) history(list []docChange) {
	if list == nil {
		return
	}
	m.name("history")
	m.Reply.Set(len(list))
	for _, change := range list {
		m.Reply.Array(2)
		m.Reply.BulkString(change.version)
		m.Reply.BulkString(change.text)
	}
}

// keyCount counts the keys of a syntax, of which each is found by the next keyspec, and the rest by
// the last one.
type keyCount struct{ seen, specs int }

// of returns the keyspec that finds an argument. ok is false if it is no key.
func (k *keyCount) of(a *command.Argument) (index int, ok bool) {
	switch {
	case a.Keyspec > 0:
		index = a.Keyspec - 1
	case a.Kind == "key" && k.specs > 0:
		index = min(k.seen, k.specs-1)
	default:
		return 0, false
	}
	k.seen = index + 1
	return index, true
}

// displaysText is the field display_text. Without it, that text is the name.
var displaysText = release.From("7.2.0")

// arguments writes a command's arguments, or the parts of one.
func (m *docs) arguments(list []command.Argument, keys *keyCount) {
	if len(list) == 0 {
		return
	}
	m.name("arguments")
	m.Reply.Array(len(list))
	for i := range list {
		replyArgument(m.Call, &list[i], keys)
	}
}

func replyArgument(c *engine.Call, a *command.Argument, keys *keyCount) {
	name, display := a.Name, a.Shown()
	if !c.Has(displaysText) {
		name, display = cmp.Or(a.Older, display), ""
	}
	m := openDocs(c)
	m.text("name", name)
	m.text("type", a.Kind)
	if len(a.Parts) == 0 {
		m.text("display_text", display)
	}
	if index, ok := keys.of(a); ok {
		m.name("key_spec_index")
		c.Reply.Int(int64(index))
	}
	if a.HasToken() {
		m.name("token")
		c.Reply.BulkString(a.Token)
	}
	if !a.Unsaid {
		m.text("since", release.From(a.Since).In(c.Engine.Release))
	}
	m.text("deprecated_since", a.Deprecated)
	m.words("flags", a.Words())
	m.arguments(a.Parts, keys)
	m.close()
}
